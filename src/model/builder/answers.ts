/** At which addresses a part of a draft is reached by its processors: what rows of their programs name. */
import { Addresses } from '../scenario/address-map';
import { addressText } from '../scenario/values';
import type { Draft } from './draft';

export function answersAt({ parts, wires }: Draft, name: string): string[] {
  const addresses = new Addresses(parts, wires);
  const own = parts.findIndex((part) => part.name === name);
  const texts = parts.flatMap(({ type }, at) =>
    type.name === 'processor'
      ? addresses
          .seenBy(at)
          .filter(({ part }) => part === own)
          .map(
            ({ spec, from, end }) =>
              `${spec.what}: ${addressText(from)} to ${addressText(end - 1n)}`,
          )
      : [],
  );
  return [...new Set(texts)];
}
