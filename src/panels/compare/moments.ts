/** Both machines at the playhead: an engine for each run seeks there while the drawing is open. */
import { createStore, watch } from '../../base/store';
import { layoutMachine } from '../../draw/machine/layout';
import { drawnViews } from '../../draw/machine/moment';
import type { Engine, Frame, ViewRequest } from '../../engine/api';
import { createWorkerEngine } from '../../engine/workers';
import { wantedViews } from '../../model/pools/pool-bitmap';
import { poolViewsOf } from '../../model/pools/pool-views';
import type { Side } from '../../model/report/comparison';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { engineCommands } from '../../model/session/commands';
import { comparing, lead, onPlayheadMove, playhead } from './comparing';

export interface SideNow {
  readonly machine: CompiledMachine;
  readonly frame: Frame;
  /** In the run's own time. */
  readonly timePs: number;
}

interface Moments {
  readonly a: SideNow | null;
  readonly b: SideNow | null;
}

const NONE: Moments = { a: null, b: null };

/** What both runs are at the playhead; null where it is not known yet. */
export const moments = createStore<Moments>(NONE);

class Seeker {
  #engine: Engine | null = null;
  #machine: CompiledMachine | null = null;
  #views: readonly ViewRequest[] = [];

  async at({ machine, commands }: Side, timePs: number): Promise<SideNow> {
    this.#engine ??= createWorkerEngine();
    if (this.#machine !== machine) {
      await this.#engine.open({
        config: machine.config,
        commands: engineCommands(machine, commands),
      });
      const pools = poolViewsOf(machine);
      this.#views = [...drawnViews(layoutMachine(machine)), ...(pools ? wantedViews(pools) : [])];
      this.#machine = machine;
    }
    await this.#engine.seekTime(timePs);
    return { machine, timePs, frame: await this.#engine.frame({ views: this.#views }) };
  }

  end(): void {
    this.#engine?.dispose();
    this.#engine = this.#machine = null;
  }
}

/** Follows the playhead until the returned function is called. Moves that come meanwhile are made once. */
export function followMoments(): () => void {
  const seekers = { a: new Seeker(), b: new Seeker() };
  let isOpen = true;
  let isBusy = false;
  let isLate = false;
  const seek = async (side: 'a' | 'b') => {
    const run = comparing.state.getState()[side];
    const timePs = playhead() - lead.getState()[side];
    return run && timePs >= 0 ? seekers[side].at(run, timePs) : null;
  };
  const follow = async () => {
    isLate = true;
    if (isBusy) return;
    isBusy = true;
    while (isLate && isOpen) {
      isLate = false;
      try {
        const [a, b] = await Promise.all([seek('a'), seek('b')]);
        if (isOpen) moments.setState({ a, b }, true);
      } catch {
        // The comparison itself reports an engine that stopped.
        if (isOpen) moments.setState(NONE, true);
      }
    }
    isBusy = false;
  };
  const ask = () => void follow();
  const stops = [
    onPlayheadMove(ask),
    lead.subscribe(ask),
    watch(comparing.state, ({ a }) => a?.machine, ask),
    watch(comparing.state, ({ b }) => b?.machine, ask),
  ];
  ask();
  return () => {
    isOpen = false;
    for (const stop of stops) stop();
    seekers.a.end();
    seekers.b.end();
    moments.setState(NONE, true);
  };
}
