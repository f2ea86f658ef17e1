/**
 * The PCI ordering rules: which transactions may pass others on the way to the bus, and which items in a local bus
 * adapter's queue wait because of them.
 */
import { PROTOCOLS } from '../../engine/gen/protocols';
import type { CompiledMachine } from '../scenario/compiled';

export type Pass = 'no' | 'may' | 'must';

interface OrderingKind {
  readonly name: string;
  readonly title: string;
  readonly short: string;
}

/** Rows are the later transaction, columns the earlier one. */
export interface OrderingRules {
  readonly kinds: readonly OrderingKind[];
  readonly passes: readonly (readonly Pass[])[];
}

/** The table that the engine uses. */
export const PCI_ORDERING = PROTOCOLS.find(({ name }) => name === 'pci')?.ordering as OrderingRules;

const kindOf = (name: string): number => PCI_ORDERING.kinds.findIndex((kind) => kind.name === name);

/** Ordering kind of each item in the adapter's queue. */
const ITEMS: Readonly<Record<string, number>> = {
  store: kindOf('posted_write'),
  load: kindOf('read_request'),
  line: kindOf('read_completion'),
};

export interface Waiting {
  /** Index of its ordering kind. */
  readonly kind: number;
  readonly address: number;
  readonly bytes: number;
  /** It has arrived over the rope. */
  readonly here: boolean;
  /** Position in the queue of the first item that it must not pass; null if it need not wait. */
  readonly behind: number | null;
}

interface Rows {
  readonly rows: number;
  column(field: string): ArrayLike<number> | undefined;
}

/** The queue, starting at the head next to the bus. */
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
    // Empty slots have neither address nor bytes.
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
