/**
 * The one open session of the page: a scenario, what was changed in it, and how to go back. Everything
 * shown is derived from this by running it. A file or link that is refused leaves it as it was.
 */
import { fetched, NotFetched } from '../../base/fetched';
import type { Kind } from '../../base/route';
import { createStore, type Store } from '../../base/store';
import { LAYOUT_HASH } from '../../engine/gen/layout';
import { type GttpTable, isGttp, parseGttp } from '../lab/gttp';
import { answersOf, bringAnswers, scenarioKey } from '../lesson/answers';
import { type Lesson, parseLesson } from '../lesson/lesson';
import { type CompiledMachine, compile, type Edits, paramAt } from '../scenario/compile';
import { canCheck } from '../scenario/onlookers';
import { lineOf, type Problem, problem, type Result, success } from '../scenario/problems';
import { withPrograms } from '../scenario/programs';
import type { Assignment, Scenario, Value } from '../scenario/scenario-types';
import { lessonOf, readScenario, readText, systemTitle } from '../scenario/scenarios';
import { outOfRange, toInteger } from '../scenario/values';
import { engineCommand, refusedCommands } from './commands';
import {
  BUILT_FILE,
  type Built,
  type Changes,
  goodOf,
  isSession,
  layoutText,
  NO_CHANGES,
  type Programs,
  type ScenarioRef,
  SESSION_VERSION,
  type SessionCommand,
  type SessionDocument,
  writeDocument,
} from './document';
import { before, change, type History, redo, startHistory, undo } from './history';
import { decodeDocument } from './share';

export interface Measured {
  readonly name: string;
  readonly text: string;
  readonly table: GttpTable;
}

export interface SessionState {
  readonly status: 'none' | 'opening' | 'open';
  readonly title: string;
  /** The system's name as people write it. */
  readonly system: string;
  readonly scenario?: string;
  readonly kind: Kind;
  readonly changes: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Grows with each change of what a document holds, except where its needle stands. */
  readonly revision: number;
  /** Grows with each opening. */
  readonly opened: number;
  /** With the programs in force. */
  readonly data: Scenario | null;
  /** What the teacher says about it; null when nobody wrote anything. */
  readonly lesson: Lesson | null;
  /** In force, an unfinished drag included. */
  readonly edits: Edits;
  /** Before the last edit: what a ghost shows. */
  readonly before: Edits | null;
  readonly dragging: boolean;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** Programs that take the place of the scenario's own. */
  readonly programs: Programs | undefined;
  /** What the user builds in the scenario's place. */
  readonly built: Built | undefined;
  /** A watcher says after every event which invariant is broken; a matter of looking, not of the document. */
  readonly watched: boolean;
  /** A checker tells where drivers break the contract of the mapping interface; likewise. */
  readonly checked: boolean;
  /** Variables of the opened run that differ from the scenario's. */
  readonly variables: Assignment;
  /** The opened run, compiled. */
  readonly machine: CompiledMachine | null;
  readonly cursor: number;
  readonly view: Readonly<Record<string, Value>>;
  readonly measured: Measured | null;
  /** Times of the opened run that the user marked, in picoseconds, in order. */
  readonly bookmarks: readonly number[];
  /** Name of the saved piece of work that was opened; null for anything else. */
  readonly work: string | null;
  /** What of the opened document is kept and not carried out, in sentences. */
  readonly leftOut: readonly string[];
  /** Made by another engine: its numbers may differ. */
  readonly warning: string | null;
  /** State hash that the document expects at its cursor. */
  readonly expectedHash: string | null;
}

export { engineCommands } from './commands';

export type OpenResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly title: string;
      readonly problems: readonly Problem[];
      /** Nothing is wrong with it: a part of the page could not be fetched. */
      readonly unfetched?: boolean;
    };

const NOTHING: SessionState = {
  status: 'none',
  title: '',
  system: '',
  kind: 'lab',
  changes: 0,
  canUndo: false,
  canRedo: false,
  revision: 0,
  opened: 0,
  data: null,
  lesson: null,
  edits: {},
  before: null,
  dragging: false,
  commands: [],
  seed: null,
  programs: undefined,
  built: undefined,
  watched: false,
  checked: false,
  variables: {},
  machine: null,
  cursor: 0,
  view: {},
  measured: null,
  bookmarks: [],
  work: null,
  leftOut: [],
  warning: null,
  expectedHash: null,
};

export const session: Store<SessionState> = createStore(NOTHING);

let history: History<Changes> = startHistory(NO_CHANGES);
let reference: ScenarioRef = { id: '' };
/** The scenario as it was opened, and its lesson. */
let original: Scenario | null = null;
let itsLesson: Lesson | null = null;
/** What was built in its place, by its text. */
let readTexts = new Map<string, Scenario>();
/** Only the newest opening counts: a slow one must not replace what was opened after it. */
let openings = 0;

function compiledWith(scenario: Scenario, changes: Changes, variables: Assignment) {
  const seed = changes.seed ?? undefined;
  const { watched, checked } = session.getState();
  return compile(scenario, { variables, edits: changes.edits, seed, watched, checked });
}

/** What the store says of a history. */
function shown(history: History<Changes>) {
  const { edits, commands, seed, programs, built } = history.present;
  return {
    edits,
    commands,
    seed,
    programs,
    built,
    before: before(history)?.edits ?? null,
    dragging: history.base !== null,
    changes:
      Object.keys(edits).length +
      commands.length +
      (seed === null ? 0 : 1) +
      (programs ? 1 : 0) +
      (built ? 1 : 0),
    canUndo: history.past.length > 0 || history.base !== null,
    canRedo: history.future.length > 0,
  };
}

/** Changes what a document holds. */
const revise = (change: Partial<SessionState>): void =>
  session.setState(({ revision }) => ({ ...change, revision: revision + 1 }));

/** The scenario that changes are made to: what was built of it as far as that runs, or itself. */
const basis = (opened: Scenario, { built }: Changes): Scenario =>
  (built && readTexts.get(goodOf(built))) ?? opened;

/** What is said of a scenario beside its run. A lesson speaks of the machine that it was written for. */
const told = (data: Scenario, { built }: Changes) => ({
  data,
  title: data.title,
  kind: data.view.kind,
  lesson: built ? null : itsLesson,
});

/** Compiles with some changes and shows them; the first problem if they are refused. */
function apply(next: History<Changes>): Problem | null {
  const { data: now, variables: before, programs, built } = session.getState();
  if (!now || !original) return problem('No session is open.');
  const isSame = next.present.programs === programs && next.present.built === built;
  const data = isSame
    ? success(now)
    : withPrograms(basis(original, next.present), next.present.programs);
  if (!data.ok) return data.problems[0] ?? null;
  const variables = Object.fromEntries(
    Object.entries(before).filter(([name]) => data.value.variables.has(name)),
  );
  const machine = compiledWith(data.value, next.present, variables);
  if (!machine.ok) return machine.problems[0] ?? null;
  history = next;
  revise({ ...shown(next), ...told(data.value, next.present), variables, machine: machine.value });
  return null;
}

/** A parameter's new value; its original value takes the edit away. */
export function setParam(path: string, value: Value, options: { commit: boolean }): Problem | null {
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
  return apply(change(history, { ...history.present, edits }, options.commit));
}

/** Back to the scenario as it was opened, as one step. */
export function resetAll(): void {
  if (session.getState().changes > 0) apply(change(history, NO_CHANGES, true));
}

/** Several parameters at once, as one step: a "what if", or a file of constants. */
export function setEdits(edits: Edits): Problem | null {
  return apply(change(history, { ...history.present, edits }, true));
}

/** Other programs, and parameters with them, as one step; without programs the scenario's own are run. */
export function setPrograms(programs: Programs | undefined, edits: Edits): Problem | null {
  const { programs: _, ...others } = history.present;
  const next = { ...others, edits, ...(programs ? { programs } : {}) };
  return apply(change(history, next, true));
}

/**
 * What the user built in the place of the scenario, as one step; `read` is what its text came to, null while it
 * is not finished. Changes of parameters are in the text, so none remain beside it.
 */
export function setBuilt(text: string, read: Scenario | null): Problem | null {
  const { built: before, seed } = history.present;
  if (read) readTexts.set(text, read);
  const good = before ? goodOf(before) : '';
  const built = read ? { text } : { text, good };
  return apply(change(history, { edits: {}, commands: [], seed, built }, true));
}

/** A live change at a time of the run; one that is still dragged is replaced by the next. */
export function addCommand(command: SessionCommand, options: { commit: boolean }): Problem | null {
  const { machine } = session.getState();
  const found = machine && engineCommand(machine, command);
  if (!found) return problem('No session is open.');
  if (typeof found === 'string') return problem(found, `/commands/${command.param}`);
  const others = (history.base ?? history.present).commands.filter(
    ({ at, param }) => at !== command.at || param !== command.param,
  );
  const commands = [...others, command].sort((a, b) => a.at - b.at);
  return apply(change(history, { ...history.present, commands }, options.commit));
}

/** Opens another run of the experiment: the same machine and edits, other variables. */
export function setVariables(variables: Assignment): Problem | null {
  const { data } = session.getState();
  if (!data) return problem('No session is open.');
  const machine = compiledWith(data, history.present, variables);
  if (!machine.ok) return machine.problems[0] ?? null;
  revise({ variables, machine: machine.value, cursor: 0, bookmarks: [], expectedHash: null });
  return null;
}

export const setCursor = (events: number): void => session.setState({ cursor: events });

export const setView = (view: Readonly<Record<string, Value>>): void =>
  revise({ view: { ...session.getState().view, ...view } });

/** Marks a time of the run, or takes the mark away. */
export function toggleBookmark(timePs: number): void {
  const { bookmarks } = session.getState();
  const at = Math.round(timePs);
  const others = bookmarks.filter((mark) => mark !== at);
  const all = others.length < bookmarks.length ? others : [...bookmarks, at];
  revise({ bookmarks: all.sort((a, b) => a - b) });
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
  return machine !== null && (checked || canCheck(machine.parts));
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
  const { variables, cursor, view, measured, bookmarks } = session.getState();
  return {
    busyard_session: SESSION_VERSION,
    scenario: reference,
    ...history.present,
    variables,
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

/** The scenario as a file: as it was opened, or as it was built. */
export const scenarioFileText = (): string => session.getState().data?.text ?? '';

const refusal = (title: string, problems: readonly Problem[]): OpenResult => ({
  ok: false,
  title,
  problems,
});

interface Opening {
  readonly reference: ScenarioRef;
  readonly scenario: Scenario;
  readonly lesson: string | null;
  readonly document: SessionDocument | null;
  /** What the document built in its place, as far as it runs. */
  readonly built: Scenario | null;
  /** See `SessionState.work`. */
  readonly work?: string | null;
}

/** Measurements that cannot be read are kept as they are, and show nothing. */
function measuredOf(document: SessionDocument | null): Measured | null {
  if (!document?.measured) return null;
  const table = parseGttp(document.measured.text);
  return { ...document.measured, table: table.ok ? table.value : {} };
}

/** What of a document is kept and not carried out, in sentences. */
function leftOutOf(document: SessionDocument | null, machine: CompiledMachine): string[] {
  if (!document) return [];
  const { measured, commands } = document;
  const table = measured && parseGttp(measured.text, measured.name);
  return [
    ...refusedCommands(machine, commands).map(({ message }) => message),
    ...(table && !table.ok ? table.problems.slice(0, 1).map(lineOf) : []),
  ];
}

const changesOf = ({ edits, commands, seed, programs, built }: SessionDocument): Changes => ({
  edits,
  commands,
  seed,
  ...(programs ? { programs } : {}),
  ...(built ? { built } : {}),
});

/** The store with a new session in it; or why its changes do not fit its scenario. */
function start(opening: Opening): Result<CompiledMachine> {
  const { document } = opening;
  const changes = document ? changesOf(document) : NO_CHANGES;
  const variables = document?.variables ?? {};
  const data = withPrograms(opening.built ?? opening.scenario, changes.programs);
  if (!data.ok) return data;
  const scenario = data.value;
  const machine = compiledWith(scenario, changes, variables);
  if (!machine.ok) return machine;
  original = opening.scenario;
  itsLesson = opening.lesson === null ? null : parseLesson(opening.lesson);
  readTexts = new Map(opening.built ? [[opening.built.text, opening.built]] : []);
  reference = opening.reference;
  history = startHistory(changes);
  const same = document === null || document.layout === layoutText(LAYOUT_HASH);
  session.setState(
    (state) => ({
      ...NOTHING,
      watched: state.watched,
      checked: state.checked,
      ...shown(history),
      machine: machine.value,
      status: 'open',
      revision: state.revision,
      opened: state.opened + 1,
      system: systemTitle(scenario.system),
      ...(original?.id ? { scenario: original.id } : {}),
      ...told(scenario, changes),
      variables,
      cursor: document?.cursor.events ?? 0,
      view: document?.view ?? {},
      measured: measuredOf(document),
      bookmarks: document?.bookmarks ?? [],
      work: opening.work ?? null,
      leftOut: leftOutOf(document, machine.value),
      warning: same
        ? null
        : 'This session was made with another version of the engine; its numbers may differ.',
      expectedHash: same ? (document?.hash ?? null) : null,
    }),
    true,
  );
  if (document?.answers) bringAnswers(scenarioKey(session.getState()), document.answers);
  return machine;
}

/** Reading and showing each take a while: between them the page may answer to its reader. */
const nextTask = () => new Promise((done) => setTimeout(done));

function unfetched(error: unknown) {
  if (!(error instanceof NotFetched)) throw error;
  return { ok: false, problems: [problem(error.message)], unfetched: true } as const;
}

/** Reads in the background and replaces the session only when everything fits. */
async function open(title: string, read: () => Promise<Result<Opening>>): Promise<OpenResult> {
  const turn = ++openings;
  const { status } = session.getState();
  const settled = status === 'opening' ? 'none' : status;
  if (settled === 'none') session.setState({ status: 'opening' });
  const opening = await read().catch(unfetched);
  await nextTask();
  if (turn !== openings) return { ok: true };
  if (session.getState().status === 'opening') session.setState({ status: settled });
  if (!opening.ok) return { title, ...opening };
  const started = start(opening.value);
  return started.ok ? { ok: true } : refusal(title, started.problems);
}

export const openScenario = (id: string): Promise<OpenResult> =>
  open('The scenario could not be opened.', async () => {
    const scenario = await readScenario(id);
    return scenario.ok ? openingOf({ id }, scenario.value, null) : scenario;
  });

async function openingOf(
  reference: ScenarioRef,
  scenario: Scenario,
  document: SessionDocument | null,
  work: string | null = null,
): Promise<Result<Opening>> {
  const good = document?.built ? goodOf(document.built) : '';
  const built = good ? await readText(good, BUILT_FILE) : null;
  if (built && !built.ok) return built;
  const lesson = await lessonOf(scenario);
  return success({ reference, scenario, lesson, document, built: built?.value ?? null, work });
}

async function readOpening(
  document: SessionDocument,
  work: string | null = null,
): Promise<Result<Opening>> {
  const { scenario: wanted } = document;
  const scenario = await ('id' in wanted
    ? readScenario(wanted.id)
    : readText(wanted.text, wanted.name));
  return scenario.ok ? openingOf(wanted, scenario.value, document, work) : scenario;
}

const NO_CURVES =
  'Measurements of a card are shown beside the curves of a lab about sizes, such as gt/crossover; open it first.';

/**
 * Opens a scenario file, a saved session, or measurements to show beside the open session. `work` is the
 * name under which the text is kept already.
 */
export async function openText(
  text: string,
  fileName: string,
  work: string | null = null,
): Promise<OpenResult> {
  const title = `${fileName} could not be opened.`;
  if (isGttp(text)) {
    const table = parseGttp(text, fileName);
    if (!table.ok) return refusal(title, table.problems);
    const { data } = session.getState();
    if (data?.view.kind !== 'lab' || !data.experiment?.crossings.length)
      return refusal(title, [problem(NO_CURVES)]);
    setMeasured({ name: fileName, text, table: table.value });
    return { ok: true };
  }
  return open(title, async () => {
    if (isSession(text)) {
      const { readDocument } = await fetched(() => import('./document-file'));
      const document = readDocument(text, fileName);
      return document.ok ? readOpening(document.value, work) : document;
    }
    const scenario = await readText(text, fileName);
    return scenario.ok ? openingOf({ text, name: fileName }, scenario.value, null) : scenario;
  });
}

export const setMeasured = (measured: Measured | null): void => revise({ measured });

export const decodeShare = (code: string): Promise<OpenResult> =>
  open('The link could not be opened.', async () => {
    const document = await decodeDocument(code);
    return document.ok ? readOpening(document.value) : document;
  });
