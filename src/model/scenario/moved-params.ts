/**
 * Parameters that have moved to another part; a manifest names the port at which that part is wired. Files and
 * edits with the old path still work.
 */
import type { PortSpec } from '../../engine/manifest';
import type { Machine, Value, Wire } from './scenario-types';

type Edits = Readonly<Record<string, Value>>;
type Joined = Pick<Machine, 'parts' | 'wires'>;

/** The other end of the wire at a port's first place. */
function peerOf(wires: readonly Wire[], part: number, slot: number): number | null {
  for (const { ends } of wires)
    for (const [one, other] of [ends, [ends[1], ends[0]] as const])
      if (one.part === part && one.slot === slot) return other.part;
  return null;
}

/** The part that has a parameter now: the one wired at the port, or one to which that forwards calls. */
export function ownerOf({ parts, wires }: Joined, part: number, name: string): number | null {
  let portName = parts[part]?.type.movedTo?.[name];
  let at: number | null = part;
  for (let hops = 0; hops < parts.length && portName !== undefined; hops++) {
    const port: PortSpec | undefined = parts[at]?.type.ports.find((one) => one.name === portName);
    at = port ? peerOf(wires, at, port.first) : null;
    if (at === null) return null;
    if (parts[at]?.type.params.some((param) => param.name === name)) return at;
    portName = parts[at]?.type.forwardsTo;
  }
  return null;
}

/** Edits with present parameter paths. Edits of unknown parameters had no effect and are dropped. */
export function migrateEdits(machine: Joined, edits: Edits): Edits {
  const old = Object.keys(edits).filter((path) => {
    const [part, name = ''] = path.split('.');
    return machine.parts.find((one) => one.name === part)?.type.movedTo?.[name] !== undefined;
  });
  if (old.length === 0) return edits;
  const moved = old.flatMap((path) => {
    const [partName, name = ''] = path.split('.');
    const at = machine.parts.findIndex((one) => one.name === partName);
    const owner = machine.parts[ownerOf(machine, at, name) ?? -1];
    return owner ? [[`${owner.name}.${name}`, edits[path] as Value] as const] : [];
  });
  const kept = Object.entries(edits).filter(([path]) => !old.includes(path));
  return Object.fromEntries([...moved, ...kept]);
}
