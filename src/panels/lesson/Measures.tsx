import { useEffect, useState } from 'react';
import { unbroken } from '../../base/format';
import { shownWindow } from '../../controllers/usePlayheadWindow';
import { useStore } from '../../controllers/useStore';
import type { Question } from '../../model/lesson/lesson';
import {
  brackets,
  countersAtEvidence,
  type Measured,
  measuredIn,
} from '../../model/lesson/measured';
import { recordedRun } from '../../model/lesson/recorded-run';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { decidingText, quantityText } from './deciding-text';
import styles from './Question.module.css';

interface Counted {
  readonly rows: readonly Measured[];
  /** The deciding counters in words, if the lesson names no measures. */
  readonly words: string;
}

const countersAt = (timePs: number) => player.countersAt(timePs);

/** What the question's run counts where its answer is seen; null until it is known. */
function useCounted(question: Question, right: number): Counted | null {
  const [counted, setCounted] = useState<Counted | null>(null);
  const machine = useStore(session, (state) => state.machine);
  useEffect(() => {
    let isHere = true;
    const [run, { data }] = [recordedRun(), session.getState()];
    const option = question.options[right];
    if (!run || !data || !option || run.machine !== machine) return;
    const read = async (): Promise<Counted> =>
      question.measures.length > 0
        ? { rows: await measuredIn(question, data, run, countersAt), words: '' }
        : {
            rows: [],
            words: decidingText(option, await countersAtEvidence(question, run, countersAt)),
          };
    void read().then((found) => isHere && setCounted(found));
    return () => {
      isHere = false;
    };
  }, [question, right, machine]);
  return counted;
}

/** Part of the framed interval on each side of the brackets. */
const MARGIN = 0.04;

/** Brackets the measured intervals in the lanes while the answer is on the page. */
function useBrackets(rows: readonly Measured[], isFirst: boolean): void {
  useEffect(() => {
    const shown = rows.flatMap(({ interval, title, ...quantity }) => {
      const [fromPs, toPs] = interval ?? [0, 0];
      const value = quantityText(quantity);
      return interval ? [{ fromPs, toPs, texts: [`${title}: ${value}`, value] }] : [];
    });
    if (shown.length === 0) return;
    brackets.setState({ shown });
    if (isFirst) {
      const from = Math.min(...shown.map(({ fromPs }) => fromPs));
      const to = Math.max(...shown.map(({ toPs }) => toPs));
      const margin = MARGIN * (to - from);
      const { endPs } = player.state.getState();
      const window = { from: Math.max(0, from - margin), to: Math.min(endPs, to + margin) };
      shownWindow.setState(window, true);
    }
    return () => brackets.setState({ shown: [] });
  }, [rows, isFirst]);
}

const NONE: readonly Measured[] = [];

interface MeasuresProps {
  readonly question: Question;
  /** Index of the right option. */
  readonly right: number;
  /** Whether the run has just been played to its evidence, so that the lanes are to show it. */
  readonly isFirst: boolean;
}

/** What the answer is about: the author's measures, or else the counters that decided. */
export function Measures({ question, right, isFirst }: MeasuresProps) {
  const counted = useCounted(question, right);
  const rows = counted?.rows ?? NONE;
  useBrackets(rows, isFirst);
  if (!counted) return null;
  if (rows.length === 0) return <p className={styles.counted}>{unbroken(counted.words)}</p>;
  return (
    <dl className={styles.settings}>
      {rows.map((row) => (
        <div key={row.title}>
          <dt>{row.title}</dt>
          <dd>
            <b>{unbroken(quantityText(row))}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}
