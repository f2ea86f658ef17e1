import type { CompiledMachine } from '../scenario/compile';

/** The part whose queue the rules of PCI order. */
export function orderedPart({ parts }: Pick<CompiledMachine, 'parts'>): number | null {
  const found = parts.find(({ type }) => type.name === 'lba');
  return found ? found.index : null;
}
