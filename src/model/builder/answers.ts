/** At which addresses a part of a draft is reached by its processors: what rows of their programs name. */
import { Addresses } from '../scenario/address-map';
import { toText } from '../scenario/values';
import type { Draft } from './draft';

export function answersAt({ parts, wires }: Draft, name: string): string[] {
  const addresses = new Addresses(parts, wires);
  const own = parts.findIndex((part) => part.name === name);
  const hex = (value: bigint) => toText(value, 'address', {});
  const texts = parts.flatMap(({ type }, at) =>
    type.name === 'processor'
      ? addresses
          .seenBy(at)
          .filter(({ part }) => part === own)
          .map(({ spec, from, end }) => `${spec.what}: ${hex(from)} to ${hex(end - 1n)}`)
      : [],
  );
  return [...new Set(texts)];
}
