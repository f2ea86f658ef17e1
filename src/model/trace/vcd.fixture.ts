/** A strict reader of value change dumps that supports only 1-bit wires, as older logic analysers do. */

/** Value changes of each 1-bit wire, by scope and name. Strings and vectors are ignored. */
export function scalars(text: string): Map<string, [at: number, value: 0 | 1][]> {
  const [head = '', body = ''] = text.split('$enddefinitions $end\n');
  const wires = new Map<string, [number, 0 | 1][]>();
  const byCode = new Map<string, [number, 0 | 1][]>();
  const codes = new Set<string>();
  let scope = '';
  for (const line of head.split('\n')) {
    scope = /^\$scope module (\S+) \$end$/.exec(line)?.[1] ?? scope;
    const [, type, bits, code = '', name] =
      /^\$var (\S+) (\d+) ([!-~]+) (\w+) \$end$/.exec(line) ?? [];
    if (!name) continue;
    if (/^[01xzbrs#$]/i.test(code)) throw new Error(`${code} looks like a change.`);
    if (codes.has(code)) throw new Error(`${code} is declared twice.`);
    codes.add(code);
    if (type !== 'wire' || bits !== '1') continue;
    const changes: [number, 0 | 1][] = [];
    if (wires.has(`${scope}.${name}`)) throw new Error(`${scope}.${name} is declared twice.`);
    wires.set(`${scope}.${name}`, changes);
    byCode.set(code, changes);
  }
  let now = -1;
  for (const line of body.split('\n')) {
    if (line.startsWith('#')) {
      const at = Number(line.slice(1));
      if (!(at > now)) throw new Error(`Time goes backwards from ${now} to ${at}.`);
      now = at;
      continue;
    }
    if (/^[br]/i.test(line)) throw new Error(`${line} is a vector.`);
    const [, value, code = ''] = /^([01])([!-~]+)$/.exec(line) ?? [];
    if (value === undefined) continue;
    const changes = byCode.get(code);
    if (!changes) throw new Error(`${code} is not a 1-bit wire.`);
    const bit = value === '1' ? 1 : 0;
    const last = changes.at(-1);
    if (last?.[0] === now) last[1] = bit;
    else if (last?.[1] !== bit) changes.push([now, bit]);
  }
  for (const [name, changes] of wires)
    if (changes[0]?.[0] !== 0) throw new Error(`${name} has no initial value.`);
  return wires;
}
