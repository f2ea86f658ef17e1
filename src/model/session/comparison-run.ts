/** A comparison run, recorded ahead on its own engine and shown on the same clock as the open run. */
import { createStore } from '../../base/store';
import type { Engine } from '../../engine/api';
import { type CompiledMachine, isSameMachine } from '../scenario/compiled';
import { createTrace, type Trace } from '../trace/trace';
import { Recorder, type Recording } from './recorder';

export interface ComparisonRunState {
  readonly machine: CompiledMachine | null;
  readonly recording: Recording<Trace> | null;
  /** Increases as the recording grows. */
  readonly recorded: number;
  readonly failure: string | null;
}

const NONE: ComparisonRunState = { machine: null, recording: null, recorded: 0, failure: null };

export class ComparisonRun {
  readonly state = createStore(NONE);
  private engine: Engine | null = null;
  private recorder: Recorder<Trace> | null = null;
  private maskEnabled = false;
  private users = 0;

  constructor(private readonly createEngine: () => Engine) {}

  /** Keeps the run until every holder has released it. */
  hold(): () => void {
    this.users++;
    return () => {
      if (--this.users === 0) this.dispose();
    };
  }

  /**
   * Records a machine from start to end, once for all users. The previous run stays visible until the first records
   * arrive.
   */
  async show(machine: CompiledMachine): Promise<void> {
    const { state } = this;
    const { machine: shown, failure } = state.getState();
    if (shown && !failure && isSameMachine(shown, machine)) return;
    this.engine ??= this.createEngine();
    this.recorder ??= new Recorder(this.engine);
    const { recorder } = this;
    state.setState({ machine, failure: null });
    try {
      await recorder.record({
        session: { config: machine.config, commands: [] },
        untilPs: machine.untilPs,
        types: machine.parts.map((part) => part.type),
        makeTrace: () => createTrace(machine),
        onProgress: (recording) => {
          if (state.getState().machine !== machine) return;
          state.setState(({ recorded }) => ({ recording, recorded: recorded + 1 }));
        },
      });
    } catch (error) {
      if (this.recorder !== recorder || state.getState().machine !== machine) return;
      state.setState({ failure: error instanceof Error ? error.message : String(error) });
    }
  }

  /** For a run too long to be kept completely: loads the records around a time. */
  async loadTraceAround(timePs: number): Promise<void> {
    const { recording } = this.state.getState();
    if (!recording?.cut || this.maskEnabled) return;
    this.maskEnabled = true;
    try {
      if (await this.recorder?.loadTraceAround(recording, timePs))
        this.state.setState(({ recorded }) => ({ recorded: recorded + 1 }));
    } finally {
      this.maskEnabled = false;
    }
  }

  /** Ends the run; a later one starts from scratch. */
  dispose(): void {
    this.engine?.dispose();
    this.engine = this.recorder = null;
    this.state.setState(NONE, true);
  }
}
