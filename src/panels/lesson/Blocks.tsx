import { unbroken } from '../../base/format';
import type { Marked, MarkedBlock } from '../../model/lesson/glossary';
import { TermTooltip } from '../../widgets/TermTooltip';
import styles from './Lesson.module.css';
import { Link } from './Links';

type MarkedTable = Extract<MarkedBlock, { kind: 'table' }>;

/** Prose of a lesson as elements. Text is never interpreted as HTML. */
export function Blocks({ blocks }: { readonly blocks: readonly MarkedBlock[] }) {
  return blocks.map((block, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the order of the prose is fixed
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
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the order of the prose is fixed
  });
}

/** A plain number; its unit is in the column head. */
const NUMBER = /^[−-]?\d[\d\s.,]*$/u;

/** The first cell is the row header. A table that is too wide scrolls, not the page. */
function Table({ table }: { readonly table: MarkedTable }) {
  const { head, rows } = table;
  const numbers = head.map(
    (_, column) =>
      column > 0 &&
      rows.every((cells) => NUMBER.test((cells[column] ?? []).map(({ text }) => text).join(''))),
  );
  // biome-ignore-start lint/suspicious/noArrayIndexKey: the order of the prose is fixed
  return (
    <div className={styles.wide}>
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
              <th scope="row">
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
    </div>
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: the order of the prose is fixed
}

const TAIL = /^(?:['’]s\b)?[,.;:!?)”]*/;

/** What is written with the word before it. */
const tailOf = (next: Marked | undefined): string =>
  (next?.kind === 'text' && TAIL.exec(next.text)?.[0]) || '';

/** A link, or a term at the end of its text, such as a bold one: the text after it may begin with punctuation. */
const isBeforeTail = (inline: Marked | undefined): boolean =>
  inline?.kind === 'link' || (inline?.kind === 'term' && inline.tail === '');

/** Punctuation directly after a link or a term stays on its line. */
export function Inlines({ inlines }: { readonly inlines: readonly Marked[] }) {
  let links = 0;
  return inlines.map((inline, index) => {
    // Terms are marked once the glossary is loaded, which moves links; a number that is being edited stays the same.
    const key = inline.kind === 'link' ? `link ${links++}` : index;
    const [before, next] = [inlines[index - 1], inlines[index + 1]];
    const shown =
      inline.kind === 'text' && isBeforeTail(before)
        ? { ...inline, text: inline.text.replace(TAIL, '') }
        : inline;
    const tail = isBeforeTail(inline) ? tailOf(next) : '';
    return (
      <span key={key} className={tail ? styles.joined : undefined}>
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
      return <Link text={unbroken(inline.text)} to={inline.to} />;
    case 'term':
      return (
        <TermTooltip term={inline.term} tail={inline.tail}>
          {inline.strong ? <b>{inline.text}</b> : inline.text}
        </TermTooltip>
      );
  }
}
