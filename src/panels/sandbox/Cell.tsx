import { emptyCell, type LineState, stateCell, stateOf } from '../../draw/state-cell';
import type { Copy, LineNow } from '../../model/sandbox/sandbox-run';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';

/** How a copy is drawn: a copy that is not the newest is stale, whatever its cache's state. */
export const copyState = (copy: Copy, { newest }: LineNow): LineState =>
  copy.value !== null && copy.value !== newest ? 'stale' : stateOf(copy.state);

/** Memory with the newest data has no state. */
export const memoryState = ({ memory, newest }: LineNow): LineState | null =>
  memory === newest ? null : 'stale';

/** A line as a cell with its letter, beside a text. */
export function Cell({ state, size }: { readonly state: LineState | null; readonly size: number }) {
  const unit = 18;
  return (
    <SvgView width={unit} height={unit} scale={size / unit}>
      <ShapeView
        shapes={state === null ? emptyCell(0, 0, unit, unit) : stateCell(0, 0, unit, unit, state)}
      />
    </SvgView>
  );
}
