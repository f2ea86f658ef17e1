/** Times of the run that a lesson leads to by its links and scenes. */
import { type Inline, inlinesIn, type Step } from './lesson';
import { timeOf } from './time-of';

/** Times of the links in a text, in picoseconds. */
export const timesIn = (inlines: readonly Inline[]): number[] =>
  inlines.flatMap((inline) =>
    inline.kind === 'link' && inline.to.kind === 'time' ? [timeOf(inline.to.value) ?? 0] : [],
  );

export const timesOf = ({ blocks, task, scene }: Step): number[] => [
  ...[...blocks.map(inlinesIn), task?.inlines ?? []].flatMap(timesIn),
  ...(scene ? [scene.timePs] : []),
];
