import { useFrameValue, useRun } from '../../controllers/useRun';
import {
  type Advice,
  type AdviceInput,
  adviceFor,
  type Suggestion,
} from '../../model/diagnosis/pool-advice';
import { startTable } from '../../model/lab/run-table';
import { poolViewsOf } from '../../model/pools/pool-views';
import { compile } from '../../model/scenario/compile';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { setParam, setVariables } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import styles from './Advice.module.css';
import { poolsNow, usePoolViews } from './pools-now';
import { useHidesPools } from './useHidesPools';

/** Settings of the mapping part, as texts. */
function settingsOf({ parts }: CompiledMachine, part: number): Readonly<Record<string, string>> {
  const { type, params = [] } = parts[part] ?? {};
  return Object.fromEntries(
    params.map(({ spec, value }) => [
      spec.name,
      type?.enums[spec.type]?.[Number(value)]?.name ?? String(value),
    ]),
  );
}

function adviceInput(): AdviceInput | null {
  const now = poolsNow();
  const { machine } = session.getState();
  const views = poolViewsOf(machine);
  if (!now || !machine || !views) return null;
  const counter = views.type.counters.findIndex(({ name }) => name === 'failures');
  const { map, uses } = now;
  return {
    map,
    settings: settingsOf(machine, views.part),
    cpus: new Set(uses.flatMap(({ holders }) => holders)).size,
    failures: player.frame()?.counters[views.part]?.[counter] ?? 0,
    longestFree: Math.max(0, ...uses.map(({ longestFree }) => longestFree)),
  };
}

/** As one string, which compares by value. */
function adviceNow(): string {
  const input = adviceInput();
  return input ? JSON.stringify(adviceFor(input)) : '[]';
}

/** The run of the experiment that differs from the open one only in this setting, if there is one. */
function runWith({
  param,
  value,
}: Suggestion): Readonly<Record<string, string | number | boolean>> | null {
  const { data, machine, edits } = session.getState();
  const views = poolViewsOf(machine);
  if (!data || !machine || !views) return null;
  const settings = JSON.stringify({ ...settingsOf(machine, views.part), [param]: value });
  for (const { point } of startTable(data).rows) {
    const other = compile(data, { variables: point.variables, edits });
    const apart = Object.entries(point.at).filter(([name, at]) => machine.variables[name] !== at);
    if (apart.length > 1 || !other.ok) continue;
    if (JSON.stringify(settingsOf(other.value, views.part)) === settings) return point.variables;
  }
  return null;
}

function follow(one: Suggestion): void {
  const variables = runWith(one);
  const { machine } = session.getState();
  const part = machine?.parts[poolViewsOf(machine)?.part ?? -1];
  if (variables) setVariables(variables);
  else if (part) setParam(`${part.name}.${one.param}`, one.value, { commit: true });
}

/** Possible improvements of the pools from the run so far, and suggested fixes. */
export default function AdvicePanel() {
  useRun();
  usePoolViews();
  const masked = useHidesPools('contentions', 'wait_time', 'failures', 'pools_used');
  const advice = JSON.parse(useFrameValue(adviceNow)) as Advice[];
  return (
    <Panel title="Advice" masked={masked} scroll>
      <div className={styles.advice}>
        {advice.length === 0 && <p>No CPU waits for a lock, and every pool is used.</p>}
        {advice.map(({ text, tries }) => (
          <p key={tries.map(({ param }) => param).join(' ') + text.length}>
            {text}
            {tries.length > 0 && ' Try '}
            {tries.map((one, i) => (
              <span key={one.title}>
                {i > 0 && (i === tries.length - 1 ? ' or ' : ', ')}
                <Button look="word" onClick={() => follow(one)}>
                  {one.title}
                </Button>
              </span>
            ))}
            {tries.length > 0 && '.'}
          </p>
        ))}
      </div>
    </Panel>
  );
}
