import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { loop } from '../../base/loop';
import { announce, showToast } from '../../base/notices';
import { formatFragment, SANDBOX } from '../../base/route';
import { shell } from '../../base/shell-state';
import { useStore } from '../../controllers/useStore';
import {
  FILM_PHASES,
  type FilmMoment,
  filmMoment,
  STEP_FILM_MS,
} from '../../model/sandbox/step-film';
import { Button } from '../../widgets/Button';
import { Icon } from '../../widgets/Icon';
import styles from './Hero.module.css';
import { AT_START, HeroMachine } from './HeroMachine';
import type { HeroRun } from './hero-run';
import { CLAUSES, STAGES } from './hero-words';

const LESSON = formatFragment({ view: 'machine', scenario: 'start/old-data', params: {} });

let loading: Promise<HeroRun> | null = null;

/** The run is made once, when it is first wanted; after a failure it is tried again. */
function heroRun(): Promise<HeroRun> {
  loading ??= import('./hero-run').then(({ runHero }) => runHero());
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** Plays a film's time on an element as CSS variables; resolves at its end. */
function play(element: HTMLElement | null, onPhase: (phase: FilmMoment['phase']) => void) {
  let ms = 0;
  return new Promise<void>((done) => {
    const stop = loop.every('advance', ({ elapsed }) => {
      ms += elapsed;
      const { phase, share } = filmMoment(ms);
      for (const name of FILM_PHASES)
        element?.style.setProperty(`--${name}`, share[name].toFixed(3));
      onPhase(phase);
      if (ms < STEP_FILM_MS) return;
      stop();
      done();
    });
  });
}

/** The gallery's beginning: one sentence, a machine of four parts, and two presses that make the sentence true. */
export function Hero() {
  const [run, setRun] = useState<HeroRun | null>(null);
  const [stage, setStage] = useState(0);
  const [phase, setPhase] = useState<FilmMoment['phase']>('over');
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const ways = useRef<HTMLDivElement>(null);
  const isHere = useRef(true);
  const isStill = useStore(shell, ({ reducedMotion }) => reducedMotion);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  /** The pressed control may disappear with the stage; the focus goes to the one that leads on. */
  function showStage(next: number): void {
    const isFocused = box.current?.parentElement?.contains(document.activeElement);
    flushSync(() => setStage(next));
    if (isFocused) ways.current?.querySelector<HTMLElement>('a, button')?.focus();
  }

  async function press(): Promise<void> {
    setBusy(true);
    try {
      const made = await heroRun();
      if (!isHere.current) return;
      setRun(made);
      if (!isStill) await play(box.current, setPhase);
      if (!isHere.current) return;
      setPhase('over');
      showStage(stage + 1);
      announce(STAGES[stage + 1]?.says ?? '');
    } catch (error) {
      showToast(`The machine could not be started: ${(error as Error).message}`);
    } finally {
      if (isHere.current) setBusy(false);
    }
  }

  const now = STAGES[stage] ?? STAGES[0];
  const isOver = stage === STAGES.length - 1;
  const film = isBusy && phase !== 'over' ? run?.films[stage] : undefined;
  const isChanged = film !== undefined && phase === 'change';
  const state = run?.states[isChanged ? stage + 1 : stage] ?? AT_START;
  return (
    <section className={styles.hero} aria-label="A first look">
      <div className={styles.words}>
        <h2>
          {CLAUSES.map((clause, index) => (
            <span key={clause}>
              <mark data-true={index < now.fulfilled || undefined}>{clause}</mark>{' '}
            </span>
          ))}
        </h2>
        <p>{now.says}</p>
      </div>
      <div className={styles.stage} ref={box}>
        <HeroMachine state={state} playing={film ? { film, phase } : null} />
        <p className={styles.caption}>
          {stage === 0
            ? 'A small machine, running in this page'
            : 'D: newer than memory. X: out of date.'}
          {stage > 0 && (
            <Button look="link" disabled={isBusy} onClick={() => showStage(0)}>
              Again
            </Button>
          )}
        </p>
      </div>
      <div className={styles.ways} ref={ways}>
        {isOver ? (
          <>
            <a className={styles.big} href={LESSON}>
              {now.button}
              <Icon name="forward" size={16} />
            </a>
            <a className={styles.other} href={formatFragment(SANDBOX)}>
              Try it in the sandbox
            </a>
          </>
        ) : (
          <>
            <button
              type="button"
              className={styles.big}
              aria-disabled={isBusy || undefined}
              onPointerEnter={() => void heroRun().catch(() => {})}
              onClick={() => {
                if (!isBusy) void press();
              }}
            >
              <Icon name="play" size={16} />
              {now.button}
            </button>
            <span>press {stage + 1} of 2</span>
          </>
        )}
      </div>
    </section>
  );
}
