/**
 * What may pass what on its way to a PCI bus: the rules of PCI, and what waits in the queue of a local bus adapter
 * because of them.
 */
import { PROTOCOLS } from '../../engine/gen/protocols';
import type { CompiledMachine } from '../scenario/compile';

export type Pass = 'no' | 'may' | 'must';

interface OrderingKind {
  readonly name: string;
  readonly title: string;
  readonly short: string;
}

/** A row for what comes later, a column for what is before it. */
export interface OrderingRules {
  readonly kinds: readonly OrderingKind[];
  readonly passes: readonly (readonly Pass[])[];
}

/** The same table that the engine decides by. */
export const PCI_ORDERING = PROTOCOLS.find(({ name }) => name === 'pci')?.ordering as OrderingRules;

const kindOf = (name: string): number => PCI_ORDERING.kinds.findIndex((kind) => kind.name === name);

/** What each item of the adapter's queue is by these rules. */
const ITEMS: Readonly<Record<string, number>> = {
  store: kindOf('posted_write'),
  load: kindOf('read_request'),
  line: kindOf('read_completion'),
};

export interface Waiting {
  /** Which of the kinds of the rules it is. */
  readonly kind: number;
  readonly address: number;
  readonly bytes: number;
  /** It has come down the rope. */
  readonly here: boolean;
  /** Place in the queue of the first one that it must not pass; null if it need not wait. */
  readonly behind: number | null;
}

interface Rows {
  readonly rows: number;
  column(field: string): ArrayLike<number> | undefined;
}

/** The queue from its head, which is next to the bus. */
export function queueOf(
  { parts }: Pick<CompiledMachine, 'parts'>,
  part: number,
  queue: Rows | null,
  line: number,
): Waiting[] {
  const items = parts[part]?.type.enums.item ?? [];
  const at = (field: string, row: number) => queue?.column(field)?.[row] ?? 0;
  const found: Waiting[] = [];
  for (let row = 0; row < (queue?.rows ?? 0); row++) {
    const bytes = at('bytes', row);
    const kind = ITEMS[items[at('item', row)]?.name ?? ''] ?? 0;
    const isLine = kind === ITEMS.line;
    // Empty places have neither address nor bytes.
    if (at('addr', row) === 0 && bytes === 0) break;
    const before = found.findIndex(
      (other) => other.here && PCI_ORDERING.passes[kind]?.[other.kind] === 'no',
    );
    found.push({
      kind,
      address: at('addr', row),
      bytes: isLine ? line : bytes,
      here: at('here', row) > 0,
      behind: before < 0 ? null : before,
    });
  }
  return found;
}
