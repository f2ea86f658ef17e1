/**
 * Changes of the open session: parameters, programs, timed commands and the built machine. Each can be undone. A
 * refused change leaves the session as it was.
 */
import { LAYOUT_HASH } from '../../engine/gen/layout';
import { settingsOnAxes } from '../scenario/axis-overrides';
import { compile } from '../scenario/compile';
import { type CompiledMachine, isSameMachine, paramAt } from '../scenario/compiled';
import { canAddChecker } from '../scenario/monitors';
import { failure, type Problem, problem, type Result, success } from '../scenario/problems';
import { withPrograms } from '../scenario/program-overrides';
import type { Assignment, Edits, Programs, Scenario, Value } from '../scenario/scenario-types';
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
/** Parsed scenarios of built texts, by text. */
let readTexts = new Map<string, Scenario>();

function compiledWith(scenario: Scenario, { variables, edits, seed }: Changes) {
  const { watched, checked } = session.getState();
  return compile(scenario, { variables, edits, seed: seed ?? undefined, watched, checked });
}

/** The variables that distinguish the run of a machine from the scenario's own run. */
const runOf = (scenario: Scenario, { variables }: CompiledMachine): Assignment =>
  some(variables, (name) => variables[name] !== scenario.variables.get(name)?.value);

/** The store's fields that depend on the history. */
function shown(history: History<Changes>) {
  const { edits, commands, seed, variables, programs, built, lesson } = history.present;
  return {
    edits,
    commands,
    seed,
    variables,
    programs,
    built,
    written: lesson,
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

/** The scenario that edits apply to: the built one if it runs, otherwise the opened one. */
const basis = (opened: Scenario, { built }: Changes): Scenario =>
  (built && readTexts.get(lastRunnable(built))) ?? opened;

/** Parts by name and type, and what is measured: what a lesson speaks of. */
const subjectsOf = ({ machine, metrics, title }: Scenario): string =>
  [
    title,
    ...machine.parts.map(({ name, type }) => `${name} ${type.name}`).sort(),
    ...metrics.keys(),
  ].join();

/**
 * The lesson in force: what its author has written, else the scenario's. It stays beside a built machine of the same
 * parts, such as one whose program was changed; another machine has none of its own.
 */
function lessonIn({ built, lesson }: Changes): string | null {
  if (lesson !== undefined) return lesson;
  const own = built && readTexts.get(lastRunnable(built));
  const isOther = own && original && subjectsOf(own) !== subjectsOf(original);
  return isOther ? null : itsLesson;
}

/** Scenario data and lesson for the store. */
const describe = (data: Scenario, changes: Changes) => ({
  data,
  title: data.title,
  kind: data.view.kind,
  lesson: lessonIn(changes),
});

/** What is written about a machine; it stays when the machine is changed back. */
const writtenIn = ({ lesson }: Changes): Pick<Changes, 'lesson'> =>
  lesson === undefined ? {} : { lesson };

/** Bookmarks of earlier runs, by their variables. */
let marks = new Map<string, readonly number[]>();

/** Resets what depends on the run; bookmarks are restored with their run. */
function resetForRun(run: Assignment): Partial<SessionState> {
  const { variables, bookmarks } = session.getState();
  const key = JSON.stringify(run);
  if (key === JSON.stringify(variables)) return {};
  marks.set(JSON.stringify(variables), bookmarks);
  return { cursor: 0, bookmarks: marks.get(key) ?? [], expectedHash: null };
}

/**
 * Compiles the session with changes and shows the result.
 * @returns the first problem if they are refused
 */
function apply(target: History<Changes>): Problem | null {
  const { data: now, programs, built } = session.getState();
  if (!now || !original) return problem('No session is open.');
  const { present } = target;
  const isSame = present.programs === programs && present.built === built;
  const data = isSame ? success(now) : withPrograms(basis(original, present), present.programs);
  if (!data.ok) return data.problems[0] ?? null;
  const variables = some(present.variables, (name) => isSame || data.value.variables.has(name));
  const next = { ...target, present: { ...present, variables } };
  const machine = compiledWith(data.value, next.present);
  if (!machine.ok) return machine.problems[0] ?? null;
  history = next;
  revise({
    ...shown(next),
    ...describe(data.value, next.present),
    ...resetForRun(variables),
    machine: machine.value,
  });
  return null;
}

/** Initial state of a session. */
export interface Beginning {
  readonly reference: ScenarioRef;
  readonly scenario: Scenario;
  /** Text of its lesson. */
  readonly lesson: string | null;
  /** The built scenario, if it runs. */
  readonly built: Scenario | null;
}

/**
 * Prepares the replacement of the open session.
 * @returns a function that performs it, or why the changes do not fit the scenario
 */
export function prepare(
  { reference: itsReference, scenario, lesson, built }: Beginning,
  initial: Changes,
  extra: (machine: CompiledMachine) => Partial<SessionState>,
): Result<() => void> {
  const data = withPrograms(built ?? scenario, initial.programs);
  if (!data.ok) return data;
  const machine = compiledWith(data.value, initial);
  if (!machine.ok) return machine;
  const changes = { ...initial, variables: runOf(data.value, machine.value) };
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
        ...describe(data.value, changes),
        machine: machine.value,
        status: 'open',
        system: systemTitle(data.value.system),
        ...(scenario.id ? { scenario: scenario.id } : {}),
        ...extra(machine.value),
      }),
      true,
    );
  });
}

/**
 * Sets a parameter from the start of the run; its original value removes the edit. Timed changes of it up to the
 * event count `untilEvents` are removed, so that the new value is also in force there.
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

/** Removes all changes of the machine and its run, as one undo step. */
export function resetAll(): void {
  const original = { ...NO_CHANGES, ...writtenIn(history.present) };
  if (session.getState().changes > 0) apply(change(history, original, true));
}

/** Replaces the lesson, as one undo step; without `commit` its author is still typing. The run is not affected. */
export function setLesson(text: string, options = { commit: true }): void {
  const { lesson: _, ...others } = history.present;
  const isOwn = text !== (lessonIn(others) ?? '');
  const next = change(history, isOwn ? { ...others, lesson: text } : others, options.commit);
  show(next);
}

/** Shows a state that differs in the lesson only. */
function show(next: History<Changes>): void {
  history = next;
  revise({ ...shown(next), lesson: lessonIn(next.present) });
}

/** Edits several parameters as one undo step: a "what if", or a file of constants. */
export function setEdits(edits: Edits): Problem | null {
  return apply(change(history, { ...history.present, edits }, true));
}

/**
 * Opens another run of the experiment as one undo step. Edits that override an axis are removed, unless `given`
 * gives the edits. If it is refused, the open run stays.
 */
export function setVariables(requested: Assignment, given?: Edits): Problem | null {
  const { data } = session.getState();
  if (!data) return problem('No session is open.');
  const edits = given ?? settingsOnAxes(data, history.present.edits);
  const machine = compiledWith(data, { ...history.present, edits, variables: requested });
  if (!machine.ok) return machine.problems[0] ?? null;
  const variables = runOf(data, machine.value);
  const { present } = history;
  const isOpen = JSON.stringify(variables) === JSON.stringify(present.variables);
  if (isOpen && edits === present.edits) return null;
  return apply(change(history, { ...present, edits, variables }, true));
}

/** Replaces programs and parameters as one undo step; without programs the scenario's own are run. */
export function setPrograms(programs: Programs | undefined, edits: Edits): Problem | null {
  const { programs: _, ...others } = history.present;
  const next = { ...others, edits, ...(programs ? { programs } : {}) };
  return apply(change(history, next, true));
}

/**
 * Replaces the scenario with a built text, as one undo step; without `commit` the user is still typing. It is part
 * of the session at once, but the previous machine runs until the text has been read and runs (`runBuilt`).
 * Parameter edits are dropped, because the text contains them.
 */
export function setBuilt(text: string, options = { commit: true }): Problem | null {
  const { built: before, seed, variables, edits, commands } = history.present;
  const built = { text, good: before ? lastRunnable(before) : '' };
  const written = writtenIn(history.present);
  const without = { edits: {}, commands: [], seed, variables, built, ...written };
  const next = change(history, without, options.commit);
  if (commands.length > 0 || Object.keys(edits).length > 0) return apply(next);
  show(next);
  return null;
}

/** Runs the built text after it was read; does nothing if the text has changed meanwhile. */
export function runBuilt(text: string, read: Scenario): Problem | null {
  if (history.present.built?.text !== text) return null;
  readTexts.set(text, read);
  const refused = apply({ ...history, present: { ...history.present, built: { text } } });
  if (refused) readTexts.delete(text);
  return refused;
}

/** The value of a command's parameter before the command. */
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
 * Adds a live change at a time of the run; during a drag it replaces the previous one. A change to the present
 * value is dropped.
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

/** Edits and variables of a run of the scenario as it was opened. */
export interface RunOfScenario {
  readonly edits: Edits;
  readonly variables: Assignment;
}

const compiledAsOpened = (run: RunOfScenario): Result<CompiledMachine> =>
  original
    ? compiledWith(original, { ...NO_CHANGES, ...run })
    : failure([problem('No session is open.')]);

/** Whether the open machine is that of the given run. */
export function isOpenMachine(run: RunOfScenario): boolean {
  const { machine } = session.getState();
  const target = compiledAsOpened(run);
  return target.ok && machine !== null && isSameMachine(target.value, machine);
}

/** Opens a run of the original scenario, as one undo step. */
export function openRun({ edits, variables: requested }: RunOfScenario): Problem | null {
  const machine = compiledAsOpened({ edits, variables: requested });
  if (!machine.ok) return machine.problems[0] ?? null;
  if (!original) return null;
  const variables = runOf(original, machine.value);
  const opened = { ...NO_CHANGES, ...writtenIn(history.present), edits, variables };
  return apply(change(history, opened, true));
}

/** Whether the machine has snooping caches, which a monitor can check. */
export const canWatch = (): boolean =>
  session.getState().machine?.parts.some(({ type }) => type.name === 'snoop_cache') ?? false;

/** Switches the monitor of the open machine on or off. */
export function toggleWatched(): void {
  session.setState(({ watched }) => ({ watched: !watched }));
  apply(history);
}

/** Whether the machine has drivers that map memory for devices. */
export const canCheckDrivers = (): boolean => {
  const { machine, checked } = session.getState();
  return machine !== null && (checked || canAddChecker(machine.parts));
};

/** Switches the driver checker of the open machine on or off. */
export function toggleChecked(): void {
  session.setState(({ checked }) => ({ checked: !checked }));
  apply(history);
}

/** Whether two states have the same machine and run. */
const isSameRun = (one: Changes, other: Changes): boolean =>
  one.edits === other.edits &&
  one.commands === other.commands &&
  one.seed === other.seed &&
  one.variables === other.variables &&
  one.programs === other.programs &&
  one.built === other.built;

/** The changes to machine and run, without the lesson that is being written. */
export function currentChanges(): Changes {
  const { lesson: _, ...changes } = history.present;
  return changes;
}

/** Makes a read text known, so that changes that contain it can be restored. */
export const knowText = (text: string, read: Scenario): void => void readTexts.set(text, read);

/** Replaces all changes to machine and run, as one undo step. */
export const restoreChanges = (changes: Changes): Problem | null =>
  apply(change(history, { ...changes, ...writtenIn(history.present) }, true));

/** The machine of the opened scenario with changes whose built text is known. */
export function compiledChanges(changes: Changes): Result<CompiledMachine> {
  if (!original) return failure([problem('No session is open.')]);
  const data = withPrograms(basis(original, changes), changes.programs);
  return data.ok ? compiledWith(data.value, changes) : data;
}

function step(next: History<Changes>): void {
  if (next === history) return;
  if (isSameRun(next.present, history.present)) show(next);
  else apply(next);
}

export const undoEdit = (): void => step(undo(history));
export const redoEdit = (): void => step(redo(history));

/** The open session as a document, with the answers to its lesson on request. */
export function currentDocument({ withAnswers = false } = {}): SessionDocument {
  const answers = withAnswers ? answersOf(scenarioKey(session.getState())) : undefined;
  const { cursor, view, measured, bookmarks, forks } = session.getState();
  return {
    busyard_session: SESSION_VERSION,
    scenario: reference,
    ...history.present,
    cursor: { events: cursor },
    view,
    measured: measured && { name: measured.name, text: measured.text },
    ...(bookmarks.length > 0 ? { bookmarks } : {}),
    ...(forks.length > 0 ? { forks } : {}),
    ...(answers ? { answers } : {}),
    layout: layoutText(LAYOUT_HASH),
    hash: null,
  };
}

/** The session as the text of a file. */
export const saveText = (choice?: { withAnswers: boolean }): string =>
  writeDocument(currentDocument(choice));

/** The scenario without changes of the session. */
export const openedScenario = (): Scenario | null => original;

/** The scenario as a file: as it was opened or built. */
export const scenarioFileText = (): string => session.getState().data?.text ?? '';
