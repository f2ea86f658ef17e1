import { useEffect, useRef, useState } from 'react';
import { integer } from '../../base/format';
import { shell } from '../../base/shell-state';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  acrossFitting,
  type LensModel,
  lensEntryAt,
  lensFor,
  lensModel,
  rowsFitting,
} from '../../draw/pools/lens';
import { searchSentence, stepsOf } from '../../draw/pools/search';
import { entryText } from '../../draw/pools/strips';
import { AGE_TITLES, homePools } from '../../draw/pools/usage';
import { answerMask } from '../../model/lesson/answer-mask';
import type { PoolMap } from '../../model/pools/pool-bitmap';
import { IconButton } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { poolView } from './pool-view';
import { chosenCpu, hidesLost, poolName, poolsNow, usePoolViews } from './pools-now';
import styles from './Search.module.css';

const ALL = Number.POSITIVE_INFINITY;

function nameOf(map: PoolMap, number: number): string {
  const pool = map.pools.find((one) => one.number === number);
  return pool ? poolName(pool) : `pool ${number}`;
}

function sentenceNow(): string {
  const map = poolsNow()?.map;
  if (!map) return '';
  const { search } = map;
  return search
    ? searchSentence(search, nameOf(map, search.pool))
    : 'Nothing has been searched for yet.';
}

function titleNow(): string {
  const map = poolsNow()?.map;
  return map?.search
    ? `The search in ${nameOf(map, map.search.pool)}`
    : 'Bitmap search, word by word';
}

/** Steps of the newest search, one per line; empty before the first. */
function stepsNow(): string {
  const search = poolsNow()?.map.search;
  return search
    ? stepsOf(search)
        .map(({ text }) => text)
        .join('\n')
    : '';
}

/** The newest search for free entries: a sentence, its steps, and the examined bits. */
export default function Search() {
  useRun();
  usePoolViews();
  const title = useFrameValue(titleNow);
  const sentence = useFrameValue(sentenceNow);
  const text = useFrameValue(stepsNow);
  const steps = text === '' ? [] : text.split('\n');
  const [shownSteps, setShownSteps] = useState(ALL);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search is shown as a whole first
  useEffect(() => setShownSteps(ALL), [text]);
  const at = Math.min(shownSteps, steps.length);
  return (
    <Panel
      title={title}
      sub={<RowText />}
      tools={steps.length > 0 && <Steps at={at} of={steps.length} onChange={setShownSteps} />}
      textAlternative={<TextAlternative summary={sentence} sentences={steps} />}
    >
      <div className={styles.frame}>
        <div className={styles.search}>
          <p className={styles.sentence}>{at < steps.length ? steps[at - 1] : sentence}</p>
          <Lens examinedSteps={shownSteps} />
          <Legend />
        </div>
      </div>
    </Panel>
  );
}

interface StepsProps {
  readonly at: number;
  readonly of: number;
  onChange(steps: number): void;
}

/** Walks through the search step by step; after the last step the whole search is shown. */
function Steps({ at, of, onChange }: StepsProps) {
  return (
    <span className={styles.steps}>
      <IconButton
        icon="previous"
        label="Previous search step"
        disabled={at <= 1}
        onClick={() => onChange(at - 1)}
      />
      <span>
        {integer(at)} of {integer(of)}
      </span>
      <IconButton
        icon="next"
        label="Next search step"
        disabled={at >= of}
        onClick={() => onChange(at + 1)}
      />
    </span>
  );
}

function RowText() {
  const across = useStore(poolView, (state) => state.across);
  return `${across} per row`;
}

function Lens({ examinedSteps }: { readonly examinedSteps: number }) {
  const [box, { width, height }] = useSize();
  const model = useRef<LensModel | null>(null);
  const scale = useStore(shell, ({ lecture }) => (lecture ? 1.3 : 1));
  const entries = useFrameValue(() => poolsNow()?.map.entries ?? 0);
  const across = acrossFitting(width / scale, entries);
  const rows = rowsFitting(width / scale, height / scale, across);
  useEffect(() => poolView.setState({ across, under: across * rows }), [across, rows]);
  const { first, marked, colouring } = useStore(poolView);
  const group = useLiveGroup(() => {
    const now = poolsNow();
    if (!now || width === 0) return [];
    const { map, uses } = now;
    model.current = lensModel({
      map,
      owner: map.search?.cpu ?? null,
      homes: homePools(uses),
      first: first ?? lensFor(map, rows, across),
      rows,
      across,
      width,
      scale,
      examinedSteps,
      marked,
      colouring,
      chosen: chosenCpu(),
    });
    return model.current.shapes;
  });

  const label = useFrameValue(placeText);
  return (
    <div
      className={styles.lens}
      ref={box}
      onPointerMove={(event) => {
        const { left, top } = event.currentTarget.getBoundingClientRect();
        const entry =
          model.current &&
          lensEntryAt(model.current, (event.clientX - left) / scale, (event.clientY - top) / scale);
        poolView.setState({ marked: entry });
      }}
      onPointerLeave={() => poolView.setState({ marked: null })}
    >
      {width > 0 && (
        <SvgView
          width={width / scale}
          height={height / scale}
          label={label}
          style={{ width, height }}
        >
          <g ref={group} />
        </SvgView>
      )}
    </div>
  );
}

function placeText(): string {
  const map = poolsNow()?.map;
  if (!map) return 'Entries of the map';
  const { first, across, under } = poolView.getState();
  const from = first ?? lensFor(map, under / across, across);
  return `Entries from ${integer(from)}, ${across} to a row; the first is ${entryText(map, from)}`;
}

const LEGEND_BY_OWNER = [
  ['own', 'mapped by this CPU'],
  ['neighbour', 'by another of this pool'],
  ['foreign', 'by a CPU of another pool'],
  ['held', 'long-lived'],
] as const;

const LEGEND_BY_AGE = [
  ...AGE_TITLES.map((title, age) => [`age-${age}`, title] as const),
  ['held', 'before the run'],
] as const;

const OTHERS = [
  ['free', 'free'],
  ['lost', 'never allocated'],
  ['new', 'being allocated'],
  ['examined', 'examined'],
] as const;

function Legend() {
  const following = useStore(poolView, ({ first }) => first === null);
  const colouring = useStore(poolView, (state) => state.colouring);
  const others = useStore(answerMask, hidesLost)
    ? OTHERS.filter(([kind]) => kind !== 'lost')
    : OTHERS;
  const kinds = [...(colouring === 'age' ? LEGEND_BY_AGE : LEGEND_BY_OWNER), ...others];
  return (
    <ul className={styles.legend}>
      {kinds.map(([kind, title]) => (
        <li key={kind} data-kind={kind}>
          {title}
        </li>
      ))}
      {!following && (
        <li className={styles.follow}>
          <button type="button" onClick={() => poolView.setState({ first: null })}>
            Follow the search
          </button>
        </li>
      )}
    </ul>
  );
}
