import { unbroken } from '../../base/format';
import { type Block, type Inline, plainText } from '../../model/lesson/lesson';

/** Prose of a lesson as it is printed: links are plain text. */
export function Prose({ blocks }: { readonly blocks: readonly Block[] }) {
  return blocks.map((block, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the order of the prose is fixed
    if (block.kind === 'paragraph')
      return (
        <p key={index}>
          <Words inlines={block.inlines} />
        </p>
      );
    if (block.kind === 'table') {
      return (
        <table key={index}>
          <thead>
            <tr>
              {block.head.map((cell, at) => (
                <th key={at} scope="col">
                  {plainText(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, at) => (
                  <td key={at}>
                    <Words inlines={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    }
    const items = block.items.map((item, at) => (
      <li key={at}>
        <Words inlines={item} />
      </li>
    ));
    return block.ordered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the order of the prose is fixed
  });
}

export function Words({ inlines }: { readonly inlines: readonly Inline[] }) {
  return inlines.map((inline, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the order of the prose is fixed
    switch (inline.kind) {
      case 'strong':
        return <b key={index}>{inline.text}</b>;
      case 'emphasis':
        return <em key={index}>{inline.text}</em>;
      case 'code':
        return <code key={index}>{inline.text}</code>;
      default:
        return <span key={index}>{unbroken(inline.text)}</span>;
    }
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the order of the prose is fixed
  });
}
