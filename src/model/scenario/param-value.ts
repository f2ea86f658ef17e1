/** Values of compiled parameters, as scenario files write them. */
import type { CompiledPart } from './compile';

/** A parameter as files have it: the name of a member, true or false, or a whole number. */
export const settingOf = (part: CompiledPart, name: string): string | null => {
  const param = part.params.find(({ spec }) => spec.name === name);
  if (!param) return null;
  const members = part.type.enums[param.spec.type];
  if (members) return members[Number(param.value)]?.name ?? null;
  return param.spec.type === 'flag' ? String(param.value !== 0n) : String(param.value);
};
