/**
 * Changes of the open session: parameters, programs, commands, what is built in its place; each can be undone. What is
 * refused leaves it as it was.
 */
import { LAYOUT_HASH } from '../../engine/gen/layout';
import { settingsOnAxes } from '../scenario/axis-overrides';
import {
  type CompiledMachine,
  compile,
  type Edits,
  isSameMachine,
  paramAt,
} from '../scenario/compile';
import { canAddChecker } from '../scenario/monitors';
import { failure, type Problem, problem, type Result, success } from '../scenario/problems';
import { withPrograms } from '../scenario/program-overrides';
import type { Assignment, Programs, Scenario, Value } from '../scenario/scenario-types';
import { systemTitle } from '../scenario/scenarios';
import { some } from '../scenario/settings';
import { outOfRange, toInteger } from '../scenario/values';
import { answersOf, scenarioKey } from './answers';
import { engineCommand } from './commands';
import {
  type Changes,
  lastRunnable,
  layoutText,
  NO_CHANGES,
  type ScenarioRef,
  SESSION_VERSION,
  type SessionCommand,
  type SessionDocument,
  writeDocument,
} from './document';
import { before, change, type History, redo, startHistory, undo } from './history';
import { EMPTY_SESSION, revise, type SessionState, session } from './session';

let history: History<Changes> = startHistory(NO_CHANGES);
let reference: ScenarioRef = { id: '' };
/** The scenario as it was opened, and its lesson. */
let original: Scenario | null = null;
let itsLesson: string | null = null;
/** What was built in its place, by its text. */
let readTexts = new Map<string, Scenario>();

function compiledWith(scenario: Scenario, { variables, edits, seed }: Changes) {
  const { watched, checked } = session.getState();
  return compile(scenario, { variables, edits, seed: seed ?? undefined, watched, checked });
}

/** What makes the run of a machine another one than its scenario's own. */
const runOf = (scenario: Scenario, { variables }: CompiledMachine): Assignment =>
  some(variables, (name) => variables[name] !== scenario.variables.get(name)?.value);

/** What the store says of a history. */
function shown(history: History<Changes>) {
  const { edits, commands, seed, variables, programs, built } = history.present;
  return {
    edits,
    commands,
    seed,
    variables,
    programs,
    built,
    before: before(history)?.edits ?? null,
    dragging: history.base !== null,
    changes:
      Object.keys(edits).length +
      commands.length +
      (seed === null ? 0 : 1) +
      (Object.keys(variables).length > 0 ? 1 : 0) +
      (programs ? 1 : 0) +
      (built ? 1 : 0),
    canUndo: history.past.length > 0 || history.base !== null,
    canRedo: history.future.length > 0,
  };
}

/** The scenario that changes are made to: what was built of it as far as that runs, or itself. */
const basis = (opened: Scenario, { built }: Changes): Scenario =>
  (built && readTexts.get(lastRunnable(built))) ?? opened;

/** What is said of a scenario beside its run. A lesson speaks of the machine that it was written for. */
const told = (data: Scenario, { built }: Changes) => ({
  data,
  title: data.title,
  kind: data.view.kind,
  lesson: built ? null : itsLesson,
});

/** Marks of runs that were open before, by their variables. */
let marks = new Map<string, readonly number[]>();

/** What was looked at in a run holds of no other; marks come back with theirs. */
function afresh(run: Assignment): Partial<SessionState> {
  const { variables, bookmarks } = session.getState();
  const key = JSON.stringify(run);
  if (key === JSON.stringify(variables)) return {};
  marks.set(JSON.stringify(variables), bookmarks);
  return { cursor: 0, bookmarks: marks.get(key) ?? [], expectedHash: null };
}

/** Compiles with some changes and shows them; the first problem if they are refused. */
function apply(wanted: History<Changes>): Problem | null {
  const { data: now, programs, built } = session.getState();
  if (!now || !original) return problem('No session is open.');
  const { present } = wanted;
  const isSame = present.programs === programs && present.built === built;
  const data = isSame ? success(now) : withPrograms(basis(original, present), present.programs);
  if (!data.ok) return data.problems[0] ?? null;
  const variables = some(present.variables, (name) => isSame || data.value.variables.has(name));
  const next = { ...wanted, present: { ...present, variables } };
  const machine = compiledWith(data.value, next.present);
  if (!machine.ok) return machine.problems[0] ?? null;
  history = next;
  revise({
    ...shown(next),
    ...told(data.value, next.present),
    ...afresh(variables),
    machine: machine.value,
  });
  return null;
}

/** What a session begins with. */
export interface Beginning {
  readonly reference: ScenarioRef;
  readonly scenario: Scenario;
  /** Text of its lesson. */
  readonly lesson: string | null;
  /** What was built in the scenario's place, as far as it runs. */
  readonly built: Scenario | null;
}

/**
 * What puts another session in the place of the open one, with what else is known `beside` its changes; or why these do
 * not fit its scenario.
 */
export function prepare(
  { reference: itsReference, scenario, lesson, built }: Beginning,
  asked: Changes,
  beside: (machine: CompiledMachine) => Partial<SessionState>,
): Result<() => void> {
  const data = withPrograms(built ?? scenario, asked.programs);
  if (!data.ok) return data;
  const machine = compiledWith(data.value, asked);
  if (!machine.ok) return machine;
  const changes = { ...asked, variables: runOf(data.value, machine.value) };
  return success(() => {
    original = scenario;
    itsLesson = lesson;
    readTexts = new Map(built ? [[built.text, built]] : []);
    reference = itsReference;
    marks = new Map();
    history = startHistory(changes);
    session.setState(
      ({ watched, checked, revision, opened }) => ({
        ...EMPTY_SESSION,
        ...{ watched, checked, revision, opened: opened + 1 },
        ...shown(history),
        ...told(data.value, changes),
        machine: machine.value,
        status: 'open',
        system: systemTitle(data.value.system),
        ...(scenario.id ? { scenario: scenario.id } : {}),
        ...beside(machine.value),
      }),
      true,
    );
  });
}

/**
 * A parameter's new value from the start of the run; its original value takes the edit away. Changes of it during
 * the run, up to the event count `untilEvents`, are removed, so that the new value is also the value there.
 */
export function setParam(
  path: string,
  value: Value,
  options: { readonly commit: boolean; readonly untilEvents?: number },
): Problem | null {
  const { machine } = session.getState();
  const param = machine && paramAt(machine, path);
  const part = machine?.parts.find((one) => one.params.some((own) => own.path === path));
  if (!param || !part) return problem(`There is no parameter "${path}".`, `/edits/${path}`);
  const { enums } = part.type;
  const integer = toInteger(value, param.spec.type, enums);
  const refused = typeof integer === 'string' ? integer : outOfRange(integer, param.spec, enums);
  if (refused !== null) return problem(refused, `/edits/${path}`);
  const { [path]: _, ...others } = history.present.edits;
  const edits = integer === param.original ? others : { ...others, [path]: value };
  const { untilEvents = -1, commit } = options;
  const { present } = history;
  const commands = present.commands.some((command) => isUpTo(command, path, untilEvents))
    ? present.commands.filter((command) => !isUpTo(command, path, untilEvents))
    : present.commands;
  return apply(change(history, { ...present, edits, commands }, commit));
}

const isUpTo = ({ param, at }: SessionCommand, path: string, events: number): boolean =>
  param === path && at <= events;

/** Back to the scenario as it was opened, as one step. */
export function resetAll(): void {
  if (session.getState().changes > 0) apply(change(history, NO_CHANGES, true));
}

/** Several parameters at once, as one step: a "what if", or a file of constants. */
export function setEdits(edits: Edits): Problem | null {
  return apply(change(history, { ...history.present, edits }, true));
}

/**
 * Opens another run of the experiment, as one step with what is edited in it: by itself all that does not hold against
 * a place on its axes. The open run stays as it is.
 */
export function setVariables(asked: Assignment, wanted?: Edits): Problem | null {
  const { data } = session.getState();
  if (!data) return problem('No session is open.');
  const edits = wanted ?? settingsOnAxes(data, history.present.edits);
  const machine = compiledWith(data, { ...history.present, edits, variables: asked });
  if (!machine.ok) return machine.problems[0] ?? null;
  const variables = runOf(data, machine.value);
  const { present } = history;
  const isOpen = JSON.stringify(variables) === JSON.stringify(present.variables);
  if (isOpen && edits === present.edits) return null;
  return apply(change(history, { ...present, edits, variables }, true));
}

/** Other programs, and parameters with them, as one step; without programs the scenario's own are run. */
export function setPrograms(programs: Programs | undefined, edits: Edits): Problem | null {
  const { programs: _, ...others } = history.present;
  const next = { ...others, edits, ...(programs ? { programs } : {}) };
  return apply(change(history, next, true));
}

/**
 * What the user built in the place of the scenario, as one step; without `commit` it is typed still. It is part of the
 * session at once; until its text is read and runs (`runBuilt`) the machine before it goes on. Changes of parameters
 * are in the text, so none remain beside it.
 */
export function setBuilt(text: string, options = { commit: true }): Problem | null {
  const { built: before, seed, variables, edits, commands } = history.present;
  const built = { text, good: before ? lastRunnable(before) : '' };
  const without = { edits: {}, commands: [], seed, variables, built };
  const next = change(history, without, options.commit);
  if (commands.length > 0 || Object.keys(edits).length > 0) return apply(next);
  history = next;
  revise({ ...shown(next), lesson: null });
  return null;
}

/** Runs what is built, as it was read, in the step that built it; nothing if something else is built by now. */
export function runBuilt(text: string, read: Scenario): Problem | null {
  if (history.present.built?.text !== text) return null;
  readTexts.set(text, read);
  const refused = apply({ ...history, present: { ...history.present, built: { text } } });
  if (refused) readTexts.delete(text);
  return refused;
}

/** The value of a command's parameter before it acts. */
function valueBefore(
  machine: CompiledMachine,
  { at, param }: SessionCommand,
  others: readonly SessionCommand[],
): bigint | undefined {
  const last = others.findLast((other) => other.param === param && other.at < at);
  const command = last && engineCommand(machine, last);
  return typeof command === 'object' ? command.value : paramAt(machine, param)?.value;
}

/**
 * A live change at a time of the run; one that is still dragged is replaced by the next. A change to the value that the
 * parameter has there anyway is none.
 */
export function addCommand(command: SessionCommand, options: { commit: boolean }): Problem | null {
  const { machine } = session.getState();
  const found = machine && engineCommand(machine, command);
  if (!found) return problem('No session is open.');
  if (typeof found === 'string') return problem(found, `/commands/${command.param}`);
  const others = (history.base ?? history.present).commands.filter(
    ({ at, param }) => at !== command.at || param !== command.param,
  );
  const isChange = found.value !== valueBefore(machine, command, others);
  const commands = isChange ? [...others, command].sort((a, b) => a.at - b.at) : others;
  return apply(change(history, { ...history.present, commands }, options.commit));
}

/** What is set for a run of the scenario as it was opened. */
export interface RunOfScenario {
  readonly edits: Edits;
  readonly variables: Assignment;
}

const compiledAsOpened = (run: RunOfScenario): Result<CompiledMachine> =>
  original
    ? compiledWith(original, { ...NO_CHANGES, ...run })
    : failure([problem('No session is open.')]);

/** Whether the opened machine is the one of that run. */
export function isOpenMachine(run: RunOfScenario): boolean {
  const { machine } = session.getState();
  const wanted = compiledAsOpened(run);
  return wanted.ok && machine !== null && isSameMachine(wanted.value, machine);
}

/** Opens that run. What was changed in the scenario is undone by it, as one step. */
export function openRun({ edits, variables: asked }: RunOfScenario): Problem | null {
  const machine = compiledAsOpened({ edits, variables: asked });
  if (!machine.ok) return machine.problems[0] ?? null;
  if (!original) return null;
  const variables = runOf(original, machine.value);
  return apply(change(history, { ...NO_CHANGES, edits, variables }, true));
}

/** Whether there are caches that snoop: what a watcher looks at. */
export const canWatch = (): boolean =>
  session.getState().machine?.parts.some(({ type }) => type.name === 'snoop_cache') ?? false;

/** Has the opened machine watched from now on, or no more. */
export function toggleWatched(): void {
  session.setState(({ watched }) => ({ watched: !watched }));
  apply(history);
}

/** Whether there are drivers that map memory for devices. */
export const canCheckDrivers = (): boolean => {
  const { machine, checked } = session.getState();
  return machine !== null && (checked || canAddChecker(machine.parts));
};

/** Has the drivers of the opened machine checked from now on, or no more. */
export function toggleChecked(): void {
  session.setState(({ checked }) => ({ checked: !checked }));
  apply(history);
}

function step(next: History<Changes>): void {
  if (next !== history) apply(next);
}

export const undoEdit = (): void => step(undo(history));
export const redoEdit = (): void => step(redo(history));

/** With what was answered to the questions of its lesson, if that is to come along. */
export function currentDocument({ withAnswers = false } = {}): SessionDocument {
  const answers = withAnswers ? answersOf(scenarioKey(session.getState())) : undefined;
  const { cursor, view, measured, bookmarks } = session.getState();
  return {
    busyard_session: SESSION_VERSION,
    scenario: reference,
    ...history.present,
    cursor: { events: cursor },
    view,
    measured: measured && { name: measured.name, text: measured.text },
    ...(bookmarks.length > 0 ? { bookmarks } : {}),
    ...(answers ? { answers } : {}),
    layout: layoutText(LAYOUT_HASH),
    hash: null,
  };
}

/** The session as a file. */
export const saveText = (choice?: { withAnswers: boolean }): string =>
  writeDocument(currentDocument(choice));

/** The scenario without any change of the session. */
export const openedScenario = (): Scenario | null => original;

/** The scenario as a file: as it was opened, or as it was built. */
export const scenarioFileText = (): string => session.getState().data?.text ?? '';
