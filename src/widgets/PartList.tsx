import { actorOf } from '../draw/glyph';
import { ActorSign } from './ActorSign';
import styles from './PartList.module.css';

interface PartListProps {
  readonly parts: readonly {
    readonly name: string;
    readonly title: string;
    readonly type: { readonly actor: string; readonly title: string };
  }[];
  onPick(index: number): void;
}

/** The parts of a machine as a list to pick from, each with its sign and kind. */
export function PartList({ parts, onPick }: PartListProps) {
  return (
    <ul className={styles.parts}>
      {parts.map((part, index) => (
        <li key={part.name}>
          <button type="button" onClick={() => onPick(index)}>
            <ActorSign actor={actorOf(parts, index)} />
            <span>{part.title}</span>
            <em>{part.type.title}</em>
          </button>
        </li>
      ))}
    </ul>
  );
}
