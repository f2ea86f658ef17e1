import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { count, integer, text, time } from '../../base/format';
import type { Breakpoints, PresentRow, ProgramCosts } from '../../controllers/useProgramRows';
import { fieldsOf, fieldValue, threadsOf, withThread } from '../../model/builder/build-file';
import type { Draft, DraftPart } from '../../model/builder/draft';
import {
  beside,
  endOf,
  inserted,
  moved,
  movedBy,
  removed,
  repeated,
  suggestedRow,
  turned,
  unrolled,
  withBound,
  withItem,
} from '../../model/builder/program-items';
import type { RowCost } from '../../model/drivers/row-costs';
import {
  type ItemFile,
  type ItemPath,
  isLoop,
  isSameItem,
  type LoopFile,
  type RowFile,
} from '../../model/scenario/program-loops';
import { Button, IconButton } from '../../widgets/Button';
import { Icon } from '../../widgets/Icon';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { Select } from '../../widgets/Select';
import { Field } from './Field';
import styles from './Program.module.css';
import { change } from './state';

/** The item that is dragged, and the item at whose edge it would stand; `inside` is the head of a loop. */
interface Dragged {
  readonly thread: number;
  readonly path: ItemPath;
  readonly over: ItemPath;
  readonly edge: Edge;
}

type Edge = 'before' | 'after' | 'inside';

/** A thread that is being edited. */
export interface Editing {
  readonly part: DraftPart;
  readonly thread: number;
  readonly rows: readonly ItemFile[];
  /** Operations that some part of this machine executes. */
  readonly can: readonly string[];
  readonly draft: Draft;
  /** Other parts that run programs. */
  readonly others: readonly DraftPart[];
  readonly costs: ProgramCosts;
  readonly breakpoints: Breakpoints;
  /** Rows of this thread at the playhead. */
  readonly present: readonly PresentRow[];
  readonly dragged: Dragged | null;
  setDragged(dragged: Editing['dragged']): void;
  put(rows: readonly ItemFile[], words: string): void;
}

interface ItemsProps {
  readonly items: readonly ItemFile[];
  /** Of the loop that holds them. */
  readonly path: ItemPath;
  readonly editing: Editing;
}

const nameOf = (path: ItemPath): string => path.map((index) => index + 1).join('.');

/** Depth of the engine's own loops, `repeat` to `again`, at each item. */
function depthsOf(items: readonly ItemFile[]): number[] {
  let depth = 0;
  return items.map((item) => {
    const operation = isLoop(item) ? '' : item.do;
    if (operation === 'again') depth = Math.max(0, depth - 1);
    const own = depth;
    if (operation === 'repeat') depth++;
    return own;
  });
}

export function Items({ items, path, editing }: ItemsProps) {
  const depths = depthsOf(items);
  return (
    <ol>
      {items.map((item, at) => (
        <Item
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its index
          key={at}
          item={item}
          path={[...path, at]}
          length={items.length}
          depth={depths[at] ?? 0}
          editing={editing}
        />
      ))}
    </ol>
  );
}

interface ItemProps {
  readonly item: ItemFile;
  readonly path: ItemPath;
  /** Length of its list. */
  readonly length: number;
  readonly depth: number;
  readonly editing: Editing;
}

const lastOf = (path: ItemPath): number => path.at(-1) ?? 0;

function Item({ item, path, length, depth, editing }: ItemProps) {
  const { rows, put, present, dragged, thread } = editing;
  const name = nameOf(path);
  const now = present.find((one) => isSameItem(one.item, path));
  const at = lastOf(path);
  const what = isLoop(item) ? 'Loop' : 'Row';
  const isTarget =
    dragged !== null &&
    dragged.thread === thread &&
    isSameItem(dragged.over, path) &&
    moved(rows, dragged.path, placeOf(dragged)) !== null;
  return (
    <li
      data-item={`${thread} ${path.join(' ')}`}
      data-now={now?.state}
      data-drop={isTarget ? dragged.edge : undefined}
      aria-current={now ? 'step' : undefined}
    >
      <div className={styles.row} style={{ paddingInlineStart: depth * 14 }}>
        <Handle {...{ path, editing, what }} />
        <Breakpoint path={path} editing={editing} item={item} />
        {isLoop(item) ? (
          <LoopHead loop={item} path={path} editing={editing} />
        ) : (
          <RowFields row={item} path={path} editing={editing} />
        )}
        <Cost item={item} path={path} editing={editing} />
        <IconButton
          icon="up"
          label={`Move ${what.toLowerCase()} ${name} up`}
          disabled={at === 0}
          onClick={() => {
            const next = movedBy(rows, path, 'ArrowUp');
            if (next) put(next.items, `${what} ${name} moved up.`);
          }}
        />
        <Menu
          label={`More for ${what.toLowerCase()} ${name}`}
          items={() => actionsOn(item, path, editing)}
          className={styles.more}
        >
          <Icon name="menu" />
        </Menu>
        <IconButton
          icon="close"
          label={`Remove ${what.toLowerCase()} ${name}`}
          disabled={length === 1 && path.length > 1}
          onClick={() => put(removed(rows, path), `${what} ${name} was removed.`)}
        />
      </div>
      {isLoop(item) && (
        <div className={styles.body}>
          <Items items={item.rows} path={path} editing={editing} />
        </div>
      )}
    </li>
  );
}

/** Before which place the dragged item would be inserted. */
const placeOf = ({ over, edge }: Dragged): ItemPath =>
  edge === 'inside' ? [...over, 0] : beside(over, edge === 'after' ? 1 : 0);

function actionsOn(item: ItemFile, path: ItemPath, editing: Editing): MenuItem[] {
  const { rows, part, draft, put, others } = editing;
  const name = nameOf(path);
  const at = lastOf(path);
  const insert = (by: 0 | 1) => {
    const place = beside(path, by);
    const before = path.length === 1 ? rows.slice(0, at + by) : rows;
    put(
      inserted(rows, place, suggestedRow(draft, part, before, 'spend')),
      `Row ${nameOf(place)} was added.`,
    );
  };
  return [
    { id: 'above', title: 'Insert a row above', run: () => insert(0) },
    { id: 'below', title: 'Insert a row below', run: () => insert(1) },
    {
      id: 'duplicate',
      title: 'Duplicate',
      run: () =>
        put(inserted(rows, beside(path, 1), structuredClone(item)), `${name} was duplicated.`),
    },
    isLoop(item)
      ? {
          id: 'once',
          title: 'Run its rows once',
          run: () => put(unrolled(rows, path), `Loop ${name} is gone; its rows stay.`),
        }
      : {
          id: 'repeat',
          title: 'Repeat it in a loop',
          run: () => put(repeated(rows, path), `Row ${name} is in a loop.`),
        },
    ...others.map((other) => ({
      id: `copy ${other.name}`,
      title: `Copy to ${other.title}`,
      run: () => copyTo(other, [item]),
    })),
    ...others.map((other) => ({
      id: `all ${other.name}`,
      title: `Copy all rows to ${other.title}`,
      run: () => copyTo(other, rows.slice(0, endOf(rows))),
    })),
  ];
}

/** Appends items to the program of another part. */
function copyTo(other: DraftPart, items: readonly ItemFile[]): void {
  change(
    (file) => {
      const rows = threadsOf(file, other.name)[0] ?? [];
      const next = rows.toSpliced(endOf(rows), 0, ...structuredClone(items));
      return withThread(file, other.name, 0, next);
    },
    `${count(items.length, 'row')} copied to ${other.title}.`,
  );
}

interface HandleProps {
  readonly path: ItemPath;
  readonly editing: Editing;
  readonly what: string;
}

/** The number of an item: it is dragged to another place, also of another loop, or moved by arrow keys. */
function Handle({ path, editing, what }: HandleProps) {
  const { rows, thread, put, dragged, setDragged } = editing;
  const isHeld = useRef(false);
  const name = nameOf(path);
  const take = (next: ReturnType<typeof moved>) => {
    if (next) put(next.items, `${what} ${name} is ${nameOf(next.path)} now.`);
  };
  function onKeyDown(event: KeyboardEvent<HTMLButtonElement>): void {
    if (event.key === 'Escape' && dragged) setDragged(null);
    else if (event.key.startsWith('Arrow')) {
      const next = movedBy(rows, path, event.key);
      take(next);
      if (next) focusItem(event.currentTarget, thread, next.path);
    } else return;
    event.preventDefault();
  }
  const on = {
    onPointerDown(event: PointerEvent<HTMLButtonElement>): void {
      if (event.button !== 0) return;
      isHeld.current = true;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      if (!isHeld.current) return;
      const place = edgeUnder(clientX, clientY, thread);
      if (place) setDragged({ thread, path, ...place });
    },
    onPointerUp(): void {
      if (isHeld.current && dragged) take(moved(rows, path, placeOf(dragged)));
      isHeld.current = false;
      setDragged(null);
    },
    onPointerCancel(): void {
      isHeld.current = false;
      setDragged(null);
    },
  };
  return (
    <button
      type="button"
      className={styles.number}
      aria-label={`${what} ${name}: drag, or move with the arrow keys, right into a loop, left out of it`}
      data-own-keys
      onKeyDown={onKeyDown}
      {...on}
    >
      {name}
    </button>
  );
}

/** The item of a thread at a point, and its nearer edge; the lower half of a loop's head is inside the loop. */
function edgeUnder(x: number, y: number, thread: number): Pick<Dragged, 'over' | 'edge'> | null {
  const item = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-item]');
  const [own = -1, ...over] = (item?.dataset.item ?? '').split(' ').map(Number);
  const row = item?.firstElementChild?.getBoundingClientRect();
  if (!row || own !== thread) return null;
  const isUpper = y < (row.top + row.bottom) / 2;
  const isHead = item?.querySelector('[data-item]') !== null;
  return { over, edge: isUpper ? 'before' : isHead ? 'inside' : 'after' };
}

/** The focus follows an item that was moved. */
function focusItem(from: HTMLElement, thread: number, path: ItemPath): void {
  const list = from.closest('section');
  requestAnimationFrame(() =>
    list?.querySelector<HTMLElement>(`[data-item="${thread} ${path.join(' ')}"] button`)?.focus(),
  );
}

interface BreakpointProps {
  readonly item: ItemFile;
  readonly path: ItemPath;
  readonly editing: Editing;
}

/** The mark beside a row: whether it runs, and whether playing stops there. */
function Breakpoint({ item, path, editing }: BreakpointProps) {
  const { part, thread, breakpoints } = editing;
  const place = { part: part.name, thread, item: path };
  if (isLoop(item) || !breakpoints.canStop(place)) return <span className={styles.stop} />;
  const isSet = breakpoints.has(place);
  return (
    <button
      type="button"
      className={styles.stop}
      aria-pressed={isSet}
      aria-label={`Stop at row ${nameOf(path)}`}
      title={isSet ? 'Playing stops at this row' : 'Stop at this row'}
      onClick={() => breakpoints.toggle([place])}
    />
  );
}

/** What an item cost in the run. */
function Cost({ item, path, editing }: BreakpointProps) {
  const { part, thread, costs } = editing;
  const cost = isLoop(item) ? null : costs.of({ part: part.name, thread, item: path });
  if (!cost) return <span className={styles.cost} />;
  return (
    <span className={styles.cost} title={costSentence(cost, part)}>
      <b>{cost.ended > 0 ? text(time(cost.time)) : 'runs'}</b>
      <small>
        {cost.begun > 1 && `${integer(cost.begun)} times `}
        {cost.transactions > 0 && `${integer(cost.transactions)} bus`}
      </small>
    </span>
  );
}

/** The cost in full: "Ran 3 times in 5.9 µs: storing 5 µs. 12 bus transactions." */
function costSentence({ begun, time: ps, states, transactions }: RowCost, part: DraftPart): string {
  const members = part.type.enums.state ?? [];
  const each = [...states]
    .filter(([state]) => members[state]?.style !== 'none')
    .sort(([, a], [, b]) => b - a)
    .map(([state, spent]) => `${members[state]?.title} ${text(time(spent))}`);
  const times = begun > 1 ? `${count(begun, 'time')} in` : 'in';
  const spent = each.length > 0 ? `: ${each.join(', ')}` : '';
  return `Ran ${times} ${text(time(ps))}${spent}. ${capital(count(transactions, 'bus transaction'))}.`;
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

interface RowFieldsProps {
  readonly row: RowFile;
  readonly path: ItemPath;
  readonly editing: Editing;
}

const givenIn = (row: RowFile): string[] => Object.keys(row).filter((field) => field !== 'do');

function RowFields({ row, path, editing }: RowFieldsProps) {
  const { part, thread, rows, can, draft, put } = editing;
  const name = nameOf(path);
  const operation = String(row.do ?? '');
  const offered = [...new Set([operation, ...can])].map((value) => ({
    value,
    title: can.includes(value) ? value : `${value}: no part here supports it`,
  }));
  const fields = [...new Set([...fieldsOf(part.type, operation), ...givenIn(row)])];
  const before = path.length === 1 ? rows.slice(0, lastOf(path)) : rows;
  return (
    <>
      <Select
        label={`Operation of row ${name}`}
        options={offered}
        value={operation}
        onChange={(next) => {
          const made = turned(row, suggestedRow(draft, part, before, next), part.type);
          put(withItem(rows, path, made), `Row ${name} was changed.`);
        }}
      />
      <span className={styles.fields}>
        {fields.map((field) => (
          <span key={field}>
            <i>{field}</i>
            <Field
              label={`Row ${name}, ${field}`}
              value={String(row[field] ?? '')}
              make={(file, typed) =>
                withThread(
                  file,
                  part.name,
                  thread,
                  withItem(rows, path, { ...row, [field]: fieldValue(part.type, field, typed) }),
                )
              }
              words={() => `Row ${name} was changed.`}
            />
          </span>
        ))}
      </span>
    </>
  );
}

interface LoopHeadProps {
  readonly loop: LoopFile;
  readonly path: ItemPath;
  readonly editing: Editing;
}

/** The variable of a loop and its bounds, or its values. */
function LoopHead({ loop, path, editing }: LoopHeadProps) {
  const { part, thread, rows, draft, put } = editing;
  const name = nameOf(path);
  const bounds: readonly (readonly [key: string, label: string, value: string])[] = [
    ['for', 'for', loop.for],
    ...(loop.in
      ? [['in', 'in', loop.in.join(', ')] as const]
      : [
          ['from', 'from', String(loop.from ?? 0)] as const,
          ['count', 'count', String(loop.count ?? '')] as const,
          ['step', 'step', String(loop.step ?? 1)] as const,
        ]),
  ];
  return (
    <>
      <b className={styles.loop}>loop</b>
      <span className={styles.fields}>
        {bounds.map(([key, label, value]) => (
          <span key={key}>
            <i>{label}</i>
            <Field
              label={`Loop ${name}, ${label}`}
              value={value}
              make={(file, typed) =>
                withThread(
                  file,
                  part.name,
                  thread,
                  withItem(rows, path, withBound(loop, key, typed)),
                )
              }
              words={() => `Loop ${name} was changed.`}
            />
          </span>
        ))}
        <Button
          look="link"
          onClick={() => {
            const place = [...path, loop.rows.length];
            const row = suggestedRow(draft, part, loop.rows, 'spend');
            put(inserted(rows, place, row), `Row ${nameOf(place)} was added.`);
          }}
        >
          Add a row in it
        </Button>
      </span>
    </>
  );
}
