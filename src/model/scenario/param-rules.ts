/**
 * Constraints on values beyond their range: a multiple, a power of two, a relation to other parameters of the part.
 * Values that the engine would have to round are refused.
 */
import type { ParamRule, ParamSpec, PartType } from '../../engine/manifest';
import { toText } from './values';

/** Reads a parameter of the part by name. */
export type Read = (name: string) => bigint;

/** The owner of a rule: a parameter, or a field of a row. */
type Ruled = Pick<ParamSpec, 'title' | 'type' | 'min' | 'max' | 'rule'> & { readonly name: string };

/** The part whose parameters rules can refer to, or the table whose fields they are. */
interface Family extends Pick<PartType, 'enums'> {
  readonly params: readonly (Pick<ParamSpec, 'title' | 'type'> & { readonly name: string })[];
}

const isNumber = (term: string) => /^\d/.test(term);

/** Parameters that a rule refers to. */
export const relatedTo = ({ of, atMost }: ParamRule): string[] =>
  [...of, ...atMost].filter((term) => !isNumber(term));

const numberOf = (term: string, read: Read) => (isNumber(term) ? BigInt(term) : read(term));

const product = (terms: readonly string[], read: Read) =>
  terms.reduce((all, term) => all * numberOf(term, read), 1n);

const sum = (terms: readonly string[], read: Read) =>
  terms.reduce((all, term) => all + numberOf(term, read), 0n);

const fits = (value: bigint, unit: bigint, powerOfTwo: boolean) => {
  if (value % unit !== 0n) return false;
  const times = value / unit;
  return !powerOfTwo || (times > 0n && (times & (times - 1n)) === 0n);
};

/** The nearest values below and above that satisfy the rule, within the range. */
function neighbours(value: bigint, spec: Ruled, rule: ParamRule, read: Read): bigint[] {
  const mask = rule.mask ? 1n : 0n;
  const unit = product(rule.of, read);
  const times = (value + mask) / unit;
  const power = times > 0n ? 1n << BigInt(times.toString(2).length - 1) : 0n;
  const near = rule.powerOfTwo ? [power, power > 0n ? power * 2n : 1n] : [times, times + 1n];
  const most = rule.atMost.length > 0 ? sum(rule.atMost, read) : BigInt(spec.max);
  return near
    .map((n) => n * unit - mask)
    .filter((legal) => legal >= BigInt(spec.min) && legal <= BigInt(spec.max) && legal <= most)
    .filter((legal) => fits(legal + mask, unit, rule.powerOfTwo));
}

const absolute = (value: bigint) => (value < 0n ? -value : value);

/** The nearest value that satisfies the parameter's rule; the value itself if there is no rule or no such value. */
export function nearestLegal(value: bigint, spec: ParamSpec, read: Read): bigint {
  if (!spec.rule) return value;
  const apart = (legal: bigint) => absolute(legal - value);
  return (
    neighbours(value, spec, spec.rule, read).reduce(
      (best, legal) => (best === null || apart(legal) < apart(best) ? legal : best),
      null as bigint | null,
    ) ?? value
  );
}

/** The next value above or below that satisfies the rule; the value itself if there is none. */
export function nextLegal(value: bigint, by: 1 | -1, spec: ParamSpec, read: Read): bigint {
  if (!spec.rule) return value + BigInt(by);
  const near = neighbours(value + BigInt(by), spec, spec.rule, read);
  const pastDecision = near.filter((legal) => (by > 0 ? legal > value : legal < value));
  return (by > 0 ? pastDecision[0] : pastDecision.at(-1)) ?? value;
}

const titleOf = (type: Family, name: string) =>
  `"${type.params.find((param) => param.name === name)?.title ?? name}"`;

/** "a power of two"; null if every value of the range is valid. */
export function ruleText({ rule, type: quantity }: Ruled, type: Family): string | null {
  if (!rule) return null;
  const term = (one: string) =>
    isNumber(one) ? toText(BigInt(one), quantity, type.enums) : titleOf(type, one);
  const unit = rule.of.map(term).join(' × ');
  const words: string[] = [];
  if (rule.powerOfTwo) words.push(unit ? `${unit} times a power of two` : 'a power of two');
  else if (unit) words.push(`a multiple of ${unit}`);
  if (rule.mask) words.push('less one');
  if (rule.atMost.length > 0)
    words.push(`${words.length > 0 ? 'and ' : ''}at most ${rule.atMost.map(term).join(' + ')}`);
  return words.join(' ');
}

/** The product of the parameters in a rule, such as "ways" × "line". */
function amounts({ rule, type: quantity }: Ruled, type: Family, read: Read): string {
  if (!rule) return '';
  return relatedTo(rule)
    .map((name) => {
      const spec = type.params.find((param) => param.name === name);
      return `${titleOf(type, name)} is ${toText(read(name), spec?.type ?? quantity, type.enums)}`;
    })
    .join(', ');
}

/** Why a value violates the rule of its parameter or field; null if it does not. */
export function brokenRule(part: string, type: Family, spec: Ruled, read: Read): string | null {
  const { rule } = spec;
  const value = read(spec.name);
  if (!rule) return null;
  const unit = product(rule.of, read);
  const above = rule.atMost.length > 0 && value > sum(rule.atMost, read);
  if (!above && fits(value + (rule.mask ? 1n : 0n), unit, rule.powerOfTwo)) return null;
  const text = (number: bigint) => toText(number, spec.type, type.enums);
  const given = amounts(spec, type, read);
  const from = above ? sum(rule.atMost, read) : value;
  const near = neighbours(from, spec, rule, read).map(text);
  const legal =
    near.length === 0
      ? `no value from ${text(BigInt(spec.min))} to ${text(BigInt(spec.max))} is`
      : `the nearest ${near.length > 1 ? 'are' : 'is'} ${near.join(' and ')}`;
  return `"${spec.title}" of "${part}" is ${ruleText(spec, type)}${given && ` (${given})`}; ${text(value)} is not: ${legal}.`;
}
