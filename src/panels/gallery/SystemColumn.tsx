import { type ReactNode, useMemo, useState } from 'react';
import { count, integer, text } from '../../base/format';
import { visitedScenarios } from '../../base/recent';
import { useStore } from '../../controllers/useStore';
import { figure, figureIds, matches } from '../../model/published/published';
import type { ScenarioEntry } from '../../model/scenario/scenarios';
import { Button } from '../../widgets/Button';
import { Icon } from '../../widgets/Icon';
import { VisitedMark } from '../../widgets/VisitedMark';
import { CrossoverThumbnail } from './CrossoverThumbnail';
import styles from './Gallery.module.css';
import { linkTo } from './linkTo';
import {
  COHERENT_FRAMES,
  CoherentThumbnail,
  HintsThumbnail,
  PoolsThumbnail,
  RealTimeThumbnail,
} from './RunThumbnails';
import type { PublishedSystem } from './systems';
import { crossoverThumbnail, type Measured } from './thumbnail';
import { usePlayed } from './usePlayed';

interface SystemColumnProps {
  readonly number: number;
  readonly system: PublishedSystem;
  readonly scenarios: readonly ScenarioEntry[];
}

/** As many as fit on a desktop page without scrolling. */
const FEW_SCENARIOS = 5;

export function SystemColumn({ number, system, scenarios }: SystemColumnProps) {
  const [all, setAll] = useState(false);
  const built = scenarios.length > 0;
  const shown = all ? scenarios : scenarios.slice(0, FEW_SCENARIOS);
  const hidden = scenarios.length - FEW_SCENARIOS;
  const heading = `system-${system.id}`;
  const { thumb, frame, column } = usePlayed(COHERENT_FRAMES);
  return (
    <section
      className={styles.system}
      data-built={built || undefined}
      aria-labelledby={heading}
      {...column}
    >
      <div className={styles.thumb} ref={thumb}>
        {THUMBNAILS[system.id]?.(frame)}
      </div>
      <h3 className={styles.name} id={heading}>
        <span className={styles.number}>{number}</span>
        {system.title}
      </h3>
      <div className={styles.machine}>{system.machine}</div>
      <p className={styles.about}>{system.about}</p>
      {built ? (
        <ScenarioList scenarios={shown} />
      ) : (
        <div className={styles.unbuilt}>not yet built</div>
      )}
      <div className={styles.foot}>
        <span>
          {hidden > 0 && (
            <Button look="link" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? 'Fewer' : `${integer(hidden)} more`}
            </Button>
          )}
          {built && hidden <= 0 && count(scenarios.length, 'scenario')}
        </span>
        <span>{system.source}</span>
      </div>
    </section>
  );
}

export function ScenarioList({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
  const visited = useStore(visitedScenarios);
  const latest = visited.at(-1);
  return (
    <ul className={styles.list}>
      {scenarios.map((entry) => (
        <li key={entry.id}>
          <a
            className={styles.entry}
            href={linkTo(entry)}
            title={entry.summary}
            data-latest={entry.id === latest || undefined}
          >
            <VisitedMark entry={entry} />
            <span className={styles.entryTitle}>{entry.title}</span>
            {entry.minutes !== undefined && (
              <span className={styles.minutes}>{integer(entry.minutes)} min</span>
            )}
            <span className={styles.arrow}>
              <Icon name="forward" size={12} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const COLUMNS = [
  { figures: 'gt.pio_write.*', method: 'pio', direction: 'write' },
  { figures: 'gt.pio_read.*', method: 'pio', direction: 'read' },
  { figures: 'gt.dma_write.*', method: 'dma', direction: 'write' },
  { figures: 'gt.dma_read.*', method: 'dma', direction: 'read' },
] as const;

const figuresMatching = (pattern: string) =>
  [...figureIds()].flatMap((id) => (matches(pattern, id) ? (figure(id) ?? []) : []));

function PublishedCrossover() {
  const model = useMemo(() => {
    const rows = COLUMNS.flatMap(({ figures, method, direction }) =>
      figuresMatching(figures).map(
        ({ id, value }): Measured => ({
          bytes: Number(id.split('.').at(-1)),
          rate: value,
          method,
          direction,
        }),
      ),
    );
    const thresholds = figuresMatching('gt.threshold.*').map(({ value }) => ({
      bytes: value,
      label: text({ value: integer(value), unit: 'B' }),
    }));
    return crossoverThumbnail(rows, thresholds);
  }, []);
  return <CrossoverThumbnail model={model} />;
}

/** The picture of a system; of a run that changes, the given one of its frames. */
const THUMBNAILS: Readonly<Record<string, (frame: number) => ReactNode>> = {
  gt: () => <PublishedCrossover />,
  hp: (frame) => <CoherentThumbnail frame={frame} />,
  pools: () => <PoolsThumbnail />,
  soc: () => <RealTimeThumbnail />,
  zx1: () => <HintsThumbnail />,
};
