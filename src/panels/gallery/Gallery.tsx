import { useMemo, useState } from 'react';
import { commands, isAvailable } from '../../base/commands';
import { fileOpeners } from '../../base/files';
import { count, dayOf, integer, text } from '../../base/format';
import { recentSessions, request, visitedScenarios } from '../../base/recent';
import { formatFragment } from '../../base/route';
import { figure, figureIds, matches } from '../../model/published';
import { listScenarios, type ScenarioEntry } from '../../model/scenarios';
import { Button } from '../../widgets/Button';
import { Icon } from '../../widgets/Icon';
import { useStore } from '../../widgets/useStore';
import { CrossoverThumbnail } from './CrossoverThumbnail';
import styles from './Gallery.module.css';
import { Schematic } from './Schematic';
import { type PublishedSystem, SYSTEMS } from './systems';
import { crossoverThumbnail, type Measured } from './thumbnail';

const linkTo = ({ kind, id }: ScenarioEntry): string =>
  formatFragment({ view: kind, scenario: id, params: {} });

export default function Gallery() {
  const scenarios = listScenarios();
  const kinds = [
    'scenario',
    'session',
    'gttp text',
    ...useStore(fileOpeners).map((opener) => opener.title),
  ];
  return (
    <div className={styles.gallery}>
      <div className={styles.wrap}>
        <div className={styles.hero}>
          <div>
            <h2 className={styles.title}>How data gets in and out of a computer</h2>
            <p className={styles.lead}>
              Five machines to run, rewind and take apart. Every number on screen comes from a run,
              and every constant names its source.
            </p>
          </div>
          <div className={styles.open}>
            <div>
              <b>Open a file</b>
              <p>{inWords(kinds)}. Or drop it here.</p>
            </div>
            <Button onClick={() => request({ kind: 'choose-file' })}>Choose…</Button>
          </div>
        </div>
        <div className={styles.systems}>
          {SYSTEMS.map((system, index) => (
            <SystemColumn
              key={system.id}
              number={index + 1}
              system={system}
              scenarios={scenarios.filter((entry) => entry.system === system.id)}
            />
          ))}
        </div>
        <div className={styles.low}>
          <Recent />
          <Beliefs scenarios={scenarios} />
          <Tools />
        </div>
      </div>
    </div>
  );
}

const inWords = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

interface SystemColumnProps {
  readonly number: number;
  readonly system: PublishedSystem;
  readonly scenarios: readonly ScenarioEntry[];
}

/** As many as fit beside each other on the page of a desk without scrolling. */
const FEW_SCENARIOS = 5;

function SystemColumn({ number, system, scenarios }: SystemColumnProps) {
  const [all, setAll] = useState(false);
  const built = scenarios.length > 0;
  const shown = all ? scenarios : scenarios.slice(0, FEW_SCENARIOS);
  const hidden = scenarios.length - FEW_SCENARIOS;
  const heading = `system-${system.id}`;
  return (
    <section className={styles.system} data-built={built || undefined} aria-labelledby={heading}>
      <div className={styles.thumb}>
        {built && system.id === 'gt' ? <PublishedCrossover /> : <Schematic system={system.id} />}
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

function ScenarioList({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
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
            <VisitMark visited={visited.includes(entry.id)} />
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

/** Ring: never opened; half disc: opened before. */
function VisitMark({ visited }: { readonly visited: boolean }) {
  return (
    <svg
      width="10"
      height="10"
      viewBox="0 0 10 10"
      role="img"
      aria-label={visited ? 'opened before' : 'new'}
    >
      <circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" strokeWidth="1.1" />
      {visited && <path d="M5 1A4 4 0 0 1 5 9z" fill="currentColor" />}
    </svg>
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

const SHORT_LIST = 4;

function Recent() {
  const sessions = useStore(recentSessions);
  const [all, setAll] = useState(false);
  const shown = all ? sessions : sessions?.slice(0, SHORT_LIST);
  const more = (sessions?.length ?? 0) > SHORT_LIST;
  return (
    <section>
      <h3 className={styles.heading}>
        Recent work
        {more && (
          <Button look="link" onClick={() => setAll(!all)}>
            {all ? 'Fewer' : 'All sessions'}
          </Button>
        )}
      </h3>
      {shown?.length === 0 && (
        <p className={styles.none}>
          Change anything in a run and it is kept here, in this browser.
        </p>
      )}
      <ul>
        {shown?.map(({ id, title, system, savedAt, changes }) => (
          <li key={id} className={styles.session}>
            <button
              type="button"
              className={styles.sessionTitle}
              onClick={() => request({ kind: 'open-recent', id })}
            >
              <b>{title}</b> {system}
            </button>
            <span className={styles.changes}>{count(changes, 'change')}</span>
            <time dateTime={new Date(savedAt).toISOString()}>
              {dayOf(new Date(savedAt), new Date())}
            </time>
            <button
              type="button"
              className={styles.forget}
              aria-label={`Forget ${title}`}
              title="Forget"
              onClick={() => request({ kind: 'forget-recent', id })}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const FEW_BELIEFS = 6;

function Beliefs({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
  const beliefs = scenarios.filter((entry) => entry.belief).slice(0, FEW_BELIEFS);
  if (beliefs.length === 0) return null;
  const titleOf = (id: string) => SYSTEMS.find((system) => system.id === id)?.title ?? '';
  return (
    <section>
      <h3 className={styles.heading}>Beliefs to break</h3>
      <ul>
        {beliefs.map((entry) => (
          <li key={entry.id}>
            <a className={styles.belief} href={linkTo(entry)}>
              <i>{entry.belief}</i>
              <span className={styles.aside}>{titleOf(entry.system)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Tools are commands that lead somewhere without a scenario: those of the section "Go to". */
function Tools() {
  const tools = useStore(commands).filter(
    (command) => command.section === 'Go to' && isAvailable(command),
  );
  if (tools.length === 0) return null;
  return (
    <section>
      <h3 className={styles.heading}>Tools</h3>
      <ul>
        {tools.map(({ id, title, hint, run }) => (
          <li key={id}>
            <button type="button" className={styles.tool} onClick={() => run()}>
              {title}
              <span className={styles.aside}>{hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
