/**
 * "Why does PIO win a 512 B write?": an explanation from the costs of two runs. Every number is measured on their
 * lanes; the code only chooses the order of the argument.
 */
import { text, time } from '../../base/format';
import type { Costs } from '../trace/time-breakdown';

export interface ExplainedRun {
  /** "PIO write" */
  readonly title: string;
  readonly costs: Costs;
  /** Number of transfers covered by the costs. */
  readonly transfers: number;
}

export interface ExplainedPlace {
  /** "512 B" */
  readonly at: string;
  /** The size above which the other method wins; null if none. */
  readonly crossing: string | null;
}

interface Explained {
  readonly question: string;
  /** Sentences; the last one is the conclusion. */
  readonly sentences: readonly string[];
}

export interface Explanation extends Explained {
  readonly winner: string;
  readonly margin: number;
}

interface Shares {
  readonly title: string;
  readonly total: number;
  /** Time in which the data itself moves. */
  readonly data: number;
  readonly around: number;
  readonly software: number;
  readonly waiting: number;
  readonly busy: number;
}

function sharesOf({ title, costs, transfers }: ExplainedRun): Shares {
  const per = (value: number) => value / Math.max(1, transfers);
  const { total } = costs;
  const data = per(total.words + total.device + total.copy);
  const whole = per(costs.to - costs.from);
  return {
    title,
    total: whole,
    data,
    around: whole - data,
    software: per(total.software + total.work),
    waiting: per(total.waiting),
    busy: per(costs.busyTime),
  };
}

const span = (ps: number) => text(time(ps, 3));

/** The larger part of the time besides the data, if one dominates. */
function aroundOf({ software, waiting, around }: Shares): string {
  if (waiting > 0.2 * around && software > 0.2 * around)
    return `${span(software)} of software and ${span(waiting)} of waiting`;
  return waiting > software ? 'nearly all of it waiting' : 'nearly all of it software';
}

/** The faster method moves data more slowly, but the other one has more overhead. */
function byFixedCost(win: Shares, lose: Shares, crossing: string | null): string[] {
  const saved = span(win.data - lose.data);
  return [
    `The data of a ${lose.title} needs only ${span(lose.data)}; that of a ${win.title} needs ${span(win.data)}.`,
    `But a ${lose.title} pays ${span(lose.around)} around its data, ${aroundOf(lose)}; a ${win.title} pays ${span(win.around)}.`,
    crossing === null
      ? `That is more than the ${saved} which faster data saves.`
      : `Only above ${crossing} does the slower data of a ${win.title} cost more than that.`,
  ];
}

/** The faster method has more overhead, but the data is large enough. */
function byData(win: Shares, lose: Shares, crossing: string | null): string[] {
  const saved = span(lose.data - win.data);
  return [
    `A ${win.title} pays ${span(win.around)} around its data, ${aroundOf(win)}; a ${lose.title} pays only ${span(lose.around)}.`,
    `But its data needs ${span(win.data)}, where that of a ${lose.title} needs ${span(lose.data)}.`,
    crossing === null
      ? `The ${saved} saved are more than the fixed cost.`
      : `Above ${crossing} the time saved on data, here ${saved}, is more than the fixed cost.`,
  ];
}

function byBoth(win: Shares, lose: Shares): string[] {
  return [
    `The data of a ${win.title} needs ${span(win.data)}, that of a ${lose.title} ${span(lose.data)}.`,
    `Around its data a ${win.title} pays ${span(win.around)}, a ${lose.title} ${span(lose.around)}.`,
    `A ${win.title} costs no more in either, so the fixed cost does not decide here.`,
  ];
}

/** Explains which of two methods is faster for the same bytes, and where that changes. */
export function explainWinner(
  a: ExplainedRun,
  b: ExplainedRun,
  { at, crossing }: ExplainedPlace,
): Explanation {
  const [first, second] = [sharesOf(a), sharesOf(b)];
  const [win, lose] = first.total <= second.total ? [first, second] : [second, first];
  const question = `Why does ${win.title} win at ${at}?`;
  let sentences: string[];
  if (win.data > lose.data) sentences = byFixedCost(win, lose, crossing);
  else if (win.around > lose.around) sentences = byData(win, lose, crossing);
  else sentences = byBoth(win, lose);
  return { question, sentences, winner: win.title, margin: lose.total - win.total };
}

/** Where the time of one method goes; the other one is asked about. */
export function explainAlone(run: ExplainedRun, at: string): Explained {
  const shares = sharesOf(run);
  const { title, total, data, around } = shares;
  return {
    question: `Where does the time of ${title} go at ${at}?`,
    sentences: [
      `A ${title} takes ${span(total)}.`,
      `Its data needs ${span(data)}.`,
      `Around its data it pays ${span(around)}, ${aroundOf(shares)}.`,
    ],
  };
}

/** The processor time of both methods, which is a separate question. */
export function explainProcessor(a: ExplainedRun, b: ExplainedRun): string {
  const [first, second] = [sharesOf(a), sharesOf(b)];
  const share = ({ busy, total, title }: Shares) =>
    `${title} keeps the processor busy for ${span(busy)} of ${span(total)}`;
  return `${share(first)}; ${share(second)}.`;
}
