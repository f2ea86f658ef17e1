/** The two ends of a parameter's slider, as changes of the session. */

import { type CompiledMachine, paramAt } from '../scenario/compiled';
import { editableParam } from '../scenario/editable-param';
import type { Edits } from '../scenario/scenario-types';
import { keyOf } from './runs';

export interface SliderEnd {
  readonly text: string;
  readonly edits: Edits;
  readonly key: string;
}

/** Null if the parameter has no slider. */
export function sliderEnds(
  machine: CompiledMachine,
  path: string,
  edits: Edits,
): readonly [SliderEnd, SliderEnd] | null {
  const param = paramAt(machine, path);
  const part = param && machine.parts.find((one) => one.params.includes(param));
  const editable = param && part ? editableParam(part, param) : null;
  if (editable?.kind !== 'number') return null;
  const end = (value: number): SliderEnd => {
    const text = editable.text(editable.legal?.near(value) ?? value);
    const changed = { ...edits, [path]: text };
    return { text, edits: changed, key: keyOf(changed) };
  };
  return [end(editable.track.min), end(editable.track.max)];
}
