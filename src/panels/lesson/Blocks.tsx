import { useMemo } from 'react';
import { unbroken } from '../../base/format';
import { showToast } from '../../base/notices';
import { parseQuantity } from '../../base/quantity.mjs';
import { navigate } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import type { Marked, MarkedBlock } from '../../model/lesson/glossary';
import type { LinkTarget } from '../../model/lesson/lesson';
import { settingOf } from '../../model/lesson/settings';
import { applySetting, isSet } from '../../model/lesson/settings-now';
import { paramAt, partNamed } from '../../model/scenario/compile';
import { editableParam } from '../../model/scenario/editable';
import { listScenarios } from '../../model/scenario/scenarios';
import { setParam } from '../../model/session/editing';
import { player } from '../../model/session/opened';
import { point, select } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Icon } from '../../widgets/Icon';
import { NumberField } from '../../widgets/NumberField';
import { TermNote } from '../../widgets/TermNote';
import styles from './Lesson.module.css';
import { showMachine } from './showMachine';

type MarkedTable = Extract<MarkedBlock, { kind: 'table' }>;

/** Prose of a lesson as elements. Its text is shown as text, whatever it contains. */
export function Blocks({ blocks }: { readonly blocks: readonly MarkedBlock[] }) {
  return blocks.map((block, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: prose does not change its order
    if (block.kind === 'paragraph')
      return (
        <p key={index}>
          <Inlines inlines={block.inlines} />
        </p>
      );
    if (block.kind === 'table') return <Table key={index} table={block} />;
    const items = block.items.map((item, at) => (
      <li key={at}>
        <Inlines inlines={item} />
      </li>
    ));
    return block.ordered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: prose does not change its order
  });
}

/** A number that stands for itself; its unit is in the head of the column. */
const NUMBER = /^[−-]?\d[\d\s.,]*$/u;

/** Each row is named by its first cell. */
function Table({ table }: { readonly table: MarkedTable }) {
  const { head, rows } = table;
  const numbers = head.map((_, column) =>
    rows.every((cells) => NUMBER.test((cells[column] ?? []).map(({ text }) => text).join(''))),
  );
  // biome-ignore-start lint/suspicious/noArrayIndexKey: prose does not change its order
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {head.map((cell, at) =>
            cell.length > 0 ? (
              <th key={at} scope="col" data-number={numbers[at] || undefined}>
                <Inlines inlines={cell} />
              </th>
            ) : (
              <td key={at} />
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name = [], ...cells], row) => (
          <tr key={row}>
            <th scope="row" data-number={numbers[0] || undefined}>
              <Inlines inlines={name} />
            </th>
            {cells.map((cell, at) => (
              <td key={at} data-number={numbers[at + 1] || undefined}>
                <Inlines inlines={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: prose does not change its order
}

const TAIL = /^[,.;:!?)”]+/;

/** Marks that stand close to a link before them stay on its line. */
export function Inlines({ inlines }: { readonly inlines: readonly Marked[] }) {
  return inlines.map((inline, index) => {
    const [before, next] = [inlines[index - 1], inlines[index + 1]];
    const shown =
      inline.kind === 'text' && before?.kind === 'link'
        ? { ...inline, text: inline.text.replace(TAIL, '') }
        : inline;
    const [tail] = (inline.kind === 'link' && next?.kind === 'text' && next.text.match(TAIL)) || [];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: prose does not change its order
      <span key={index} className={tail && styles.joined}>
        <One inline={shown} />
        {tail}
      </span>
    );
  });
}

function One({ inline }: { readonly inline: Marked }) {
  switch (inline.kind) {
    case 'text':
      return unbroken(inline.text);
    case 'strong':
      return <b>{inline.text}</b>;
    case 'emphasis':
      return <em>{inline.text}</em>;
    case 'code':
      return <code>{inline.text}</code>;
    case 'link':
      return <Link text={inline.text} to={inline.to} />;
    case 'term':
      return (
        <TermNote term={inline.term} tail={inline.tail}>
          {inline.strong ? <b>{inline.text}</b> : inline.text}
        </TermNote>
      );
  }
}

function Link({ text, to }: { readonly text: string; readonly to: LinkTarget }) {
  switch (to.kind) {
    case 'part':
      return <PartLink text={text} name={to.value} />;
    case 'param':
      return <ParamLink text={text} path={to.value} />;
    case 'time':
      return <TimeLink text={text} time={to.value} />;
    case 'scenario':
      return <ScenarioLink text={text} id={to.value} />;
    case 'set':
      return <SetLink text={text} value={to.value} />;
    case 'outside':
      return (
        <a className={styles.link} href={to.value} target="_blank" rel="noreferrer">
          {text}
        </a>
      );
    case 'nowhere':
      return text;
  }
}

/** Shows the part in the drawing and in the inspector; pointing at the words marks it. */
function PartLink({ text, name }: { readonly text: string; readonly name: string }) {
  const machine = useStore(session, (state) => state.machine);
  const part = machine ? partNamed(machine, name)?.index : undefined;
  if (part === undefined) return text;
  return (
    <button
      type="button"
      className={styles.link}
      onClick={() => {
        showMachine();
        select({ part });
      }}
      onPointerEnter={() => point({ part })}
      onPointerLeave={() => point({})}
    >
      {text}
    </button>
  );
}

/** A number in the text is the parameter itself: drag it, and the machine runs with another. */
function ParamLink({ text, path }: { readonly text: string; readonly path: string }) {
  const machine = useStore(session, (state) => state.machine);
  const part = machine?.parts.find((one) => one.params.some((param) => param.path === path));
  const param = machine ? paramAt(machine, path) : undefined;
  const editable = part && param ? editableParam(part, param) : null;
  if (!part || !param) return text;
  if (editable?.kind !== 'number' || !/^\d/.test(text))
    return <PartLink text={text} name={part.name} />;
  return (
    <span className={styles.number}>
      <NumberField
        label={`${part.title}: ${param.spec.title}`}
        value={editable.value}
        unit={editable.unit}
        min={editable.min}
        max={editable.max}
        step={editable.step}
        decimals={editable.decimals}
        legal={editable.legal}
        onInput={(value) => setParam(path, editable.text(value), { commit: false })}
        onCommit={(value) => setParam(path, editable.text(value), { commit: true })}
      />
    </span>
  );
}

function picoseconds(time: string): number | null {
  try {
    return Number(parseQuantity(time, 'time'));
  } catch {
    return null;
  }
}

function TimeLink({ text, time }: { readonly text: string; readonly time: string }) {
  const timePs = picoseconds(time);
  if (timePs === null) return text;
  const go = () => {
    showMachine();
    player.pause();
    void player.toTime(timePs);
  };
  return (
    <button type="button" className={styles.link} onClick={go}>
      {text}
    </button>
  );
}

/** Words that do what they say; pressed while the machine stands so. */
function SetLink({ text, value }: { readonly text: string; readonly value: string }) {
  const setting = useMemo(() => settingOf(value), [value]);
  const on = useStore(session, (state) => setting !== null && isSet(state, setting));
  if (!setting) return text;
  return (
    <button
      type="button"
      className={styles.set}
      aria-pressed={on}
      onClick={() => {
        const refused = on ? null : applySetting(setting);
        if (refused) showToast(refused);
      }}
    >
      {text}
      {on && <Icon name="check" size={12} />}
    </button>
  );
}

function ScenarioLink({ text, id }: { readonly text: string; readonly id: string }) {
  const entry = listScenarios().find((scenario) => scenario.id === id);
  if (!entry) return text;
  return (
    <button
      type="button"
      className={styles.link}
      onClick={() => navigate({ view: entry.kind, scenario: id })}
    >
      {text}
    </button>
  );
}
