import { type ReactNode, useMemo } from 'react';
import { showToast } from '../../base/notices';
import { parseQuantity } from '../../base/quantity.mjs';
import { formatFragment } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import type { LinkTarget } from '../../model/lesson/lesson';
import { paramAt, partNamed } from '../../model/scenario/compiled';
import { editableParam } from '../../model/scenario/editable-param';
import { listScenarios } from '../../model/scenario/scenarios';
import { settingOf } from '../../model/scenario/settings';
import { applySetting, isSet } from '../../model/session/apply-setting';
import { setParam } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { changeKeepingMoment } from '../../model/session/run-before';
import { point, select } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Icon } from '../../widgets/Icon';
import { NumberField } from '../../widgets/NumberField';
import styles from './Lesson.module.css';
import { showMachine } from './showMachine';

/** Words of a lesson that link somewhere or perform an action. */
export function Link({ text, to }: { readonly text: string; readonly to: LinkTarget }) {
  switch (to.kind) {
    case 'part':
      return <PartLink text={text} name={to.value} />;
    case 'param':
      return <ParamLink text={text} path={to.value} />;
    case 'time':
      return <TimeLink text={text} time={to.value} />;
    case 'scenario':
      return <ScenarioLink text={text} id={to.value} />;
    case 'set':
      return <SetLink text={text} value={to.value} />;
    case 'outside':
      return (
        <a className={styles.link} href={to.value} target="_blank" rel="noreferrer">
          {text}
        </a>
      );
    case 'run':
    case 'source':
    case 'nowhere':
      return text;
  }
}

interface WordsProps {
  readonly className: string | undefined;
  readonly pressed?: boolean;
  readonly children: ReactNode;
  onPress(): void;
  /** The pointer has entered or left the words. */
  onPoint?(is: boolean): void;
}

/** A button within a text that wraps over several lines. */
function Words({ className, pressed, children, onPress, onPoint }: WordsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button is a block that does not wrap
    <span
      role="button"
      tabIndex={0}
      className={className}
      aria-pressed={pressed}
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onPress();
      }}
      onPointerEnter={() => onPoint?.(true)}
      onPointerLeave={() => onPoint?.(false)}
    >
      {children}
    </span>
  );
}

/** Selects the part in the drawing and the inspector; hovering highlights it. */
function PartLink({ text, name }: { readonly text: string; readonly name: string }) {
  const machine = useStore(session, (state) => state.machine);
  const part = machine ? partNamed(machine, name)?.index : undefined;
  if (part === undefined) return text;
  return (
    <Words
      className={styles.link}
      onPress={() => {
        showMachine();
        select({ part });
      }}
      onPoint={(is) => point(is ? { part } : {})}
    >
      {text}
    </Words>
  );
}

/** A number in the text that is a parameter: dragging it changes the machine. */
function ParamLink({ text, path }: { readonly text: string; readonly path: string }) {
  const machine = useStore(session, (state) => state.machine);
  const part = machine?.parts.find((one) => one.params.some((param) => param.path === path));
  const param = machine ? paramAt(machine, path) : undefined;
  const editable = part && param ? editableParam(part, param) : null;
  if (!part || !param) return text;
  if (editable?.kind !== 'number' || !/^\d/.test(text))
    return <PartLink text={text} name={part.name} />;
  return (
    <span className={styles.number}>
      <NumberField
        label={`${part.title}: ${param.spec.title}`}
        value={editable.value}
        unit={editable.unit}
        min={editable.min}
        max={editable.max}
        step={editable.step}
        decimals={editable.decimals}
        whole={editable.whole}
        legal={editable.legal}
        onInput={(value) => setParam(path, editable.text(value), { commit: false })}
        onCommit={(value) => setParam(path, editable.text(value), { commit: true })}
      />
    </span>
  );
}

function picoseconds(time: string): number | null {
  try {
    return Number(parseQuantity(time, 'time'));
  } catch {
    return null;
  }
}

function TimeLink({ text, time }: { readonly text: string; readonly time: string }) {
  const timePs = picoseconds(time);
  if (timePs === null) return text;
  const go = () => {
    showMachine();
    player.pause();
    void player.toTime(timePs);
  };
  return (
    <Words className={styles.link} onPress={go}>
      {text}
    </Words>
  );
}

/** Words that apply settings; pressed while the machine has them. */
function SetLink({ text, value }: { readonly text: string; readonly value: string }) {
  const setting = useMemo(() => settingOf(value), [value]);
  const on = useStore(session, (state) => setting !== null && isSet(state, setting));
  if (!setting) return text;
  return (
    <Words
      className={styles.set}
      pressed={on}
      onPress={() => {
        const refused = on ? null : changeKeepingMoment(() => applySetting(setting));
        if (refused) showToast(refused);
      }}
    >
      {text}
      {on && <Icon name="check" size={12} />}
    </Words>
  );
}

function ScenarioLink({ text, id }: { readonly text: string; readonly id: string }) {
  const entry = listScenarios().find((scenario) => scenario.id === id);
  if (!entry) return text;
  return (
    <a
      className={styles.link}
      href={formatFragment({ view: entry.kind, scenario: id, params: {} })}
    >
      {text}
    </a>
  );
}
