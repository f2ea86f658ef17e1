import { glyph } from '../draw/glyph';
import { ShapeView } from './ShapeView';

interface ActorSignProps {
  readonly actor: string;
  readonly size?: number;
}

/** The sign of an actor. Decorative: it stands beside the actor's name. */
export function ActorSign({ actor, size = 10 }: ActorSignProps) {
  const middle = size / 2;
  return (
    <svg width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      <ShapeView shapes={[glyph(actor, middle, middle, size * 0.36)]} />
    </svg>
  );
}
