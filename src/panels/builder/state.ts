/**
 * The machine being built. It is part of the open session, which undoes, saves and shares it; this module
 * reads its text and changes it part by part.
 */
import { whileBusy } from '../../base/activity';
import { announce } from '../../base/notices';
import { createStore } from '../../base/store';
import { freePlace, placeAt } from '../../draw/machine/free-place';
import { layoutMachine } from '../../draw/machine/layout';
import {
  addPart,
  addWire,
  emptyFile,
  fileOf,
  fileText,
  placeParts,
  readBuilt,
  removePart,
  removeWire,
  runsPrograms,
  type Socket,
  setPartParam,
  withEdits,
} from '../../model/builder/build-file';
import type { BuildFile } from '../../model/builder/build-types';
import {
  choicesFor,
  type Draft,
  type DraftPart,
  draftOf,
  partIn,
  peerOf,
  plainWires,
  possibleFor,
  type SocketPair,
  socketText,
  strangers,
} from '../../model/builder/draft';
import { type Offer, offerText } from '../../model/builder/offers';
import { patched } from '../../model/builder/patch';
import type { Template } from '../../model/builder/templates';
import type { LintFix } from '../../model/lint/subject';
import { ENGINE_PARTS } from '../../model/scenario/catalogue';
import type { Problem } from '../../model/scenario/problems';
import { finishBuilt } from '../../model/session/built-machine';
import { BUILT_FILE } from '../../model/session/document';
import { setBuilt, undoEdit } from '../../model/session/editing';
import { select } from '../../model/session/selection';
import { type SessionState, session } from '../../model/session/session';

export interface BuildState {
  readonly text: string;
  /** Text being typed that is not accepted yet. */
  readonly typed: string | null;
  /** Where it is typed: the text view reads after a pause, a field when it is left. */
  readonly typedIn: 'text' | 'field';
  /** Null while the text cannot be read as parts and wires. */
  readonly file: BuildFile | null;
  readonly draft: Draft;
  /** What is missing or wrong; null until known. */
  readonly problems: readonly Problem[] | null;
  /** The selected part. */
  readonly chosen: string | null;
  /** The part whose program is shown. */
  readonly worker: string | null;
  /** The start of the wire being drawn. */
  readonly from: Socket | null;
  /** The result of the last step, or why it did nothing. */
  readonly note: string | null;
}

const NOTHING: BuildState = {
  text: '',
  typed: null,
  typedIn: 'text',
  file: null,
  draft: { parts: [], wires: [] },
  problems: null,
  chosen: null,
  worker: null,
  from: null,
  note: null,
};

export const build = createStore(NOTHING);

let followed: Pick<SessionState, 'data' | 'built' | 'edits' | 'machine'> | null = null;
/** Texts are read one at a time. */
let reading: Promise<void> = Promise.resolve();

/** The text of the session: the built text with later edits, else the scenario. */
function textOf(now: SessionState): string {
  const { data, built, edits, machine, variables, programs, scenario } = now;
  if (!data || !machine) return '';
  const isEdited = Object.keys(edits).length > 0 || Object.keys(variables).length > 0;
  if (built && (built.good !== undefined || (!isEdited && !programs))) return built.text;
  // A text written by the user keeps its comments.
  const own = built?.text ?? (scenario === undefined ? data.text : null);
  const read = own !== null && !programs ? readBuilt(own, BUILT_FILE) : null;
  if (own !== null && read?.ok && read.value && !read.value.experiment)
    return patched(own, withEdits(read.value, variables, edits));
  return fileText(fileOf(data, machine.variables, edits));
}

function follow(now: SessionState): void {
  const { data, built, edits, machine, dragging } = now;
  const { typed } = build.getState();
  if (typed !== null && dragging && built?.text === typed) return;
  if (typed !== null) {
    build.setState({ typed: null });
    const isUnread = built?.good !== undefined && built.text === build.getState().text;
    if (isUnread) read(built.text); // typing may have begun while it was read
  }
  if (followed?.data === data && followed.built === built && followed.edits === edits) return;
  followed = { data, built, edits, machine };
  const text = textOf(now);
  if (text === build.getState().text) return;
  show(text);
  if (built?.good === undefined) build.setState({ problems: [] });
  else read(text);
}

/** Shows a text; the drawing keeps the last readable machine. */
function show(text: string): void {
  const { chosen, draft: before } = build.getState();
  const read = readBuilt(text, BUILT_FILE);
  const file = read.ok ? read.value : null;
  const draft = file ? draftOf(file) : before;
  const kept = chosen !== null && partIn(draft, chosen) ? chosen : null;
  build.setState({ text, typed: null, file, draft, chosen: kept, from: null });
}

/** Follows the open session until the returned function is called. */
export function startBuild(): () => void {
  build.setState(NOTHING, true);
  followed = null;
  follow(session.getState());
  const stop = session.subscribe(follow);
  return () => {
    settle();
    stop();
  };
}

function setNote(note: string | null): void {
  build.setState({ note });
  if (note) announce(note);
}

/**
 * Reads a text that is still shown: it runs, or its problems are shown while the last valid machine keeps
 * running.
 */
async function take(text: string): Promise<void> {
  const isShown = () => build.getState().text === text;
  if (!isShown()) return;
  const problems = await finishBuilt(text);
  if (isShown()) build.setState({ problems });
}

/** Reads a text after the present one, even if that failed to load (the failure is reported elsewhere). */
function read(text: string): void {
  const next = () => take(text);
  reading = reading.then(next, next);
}

/** Saves a text while it is typed; it is read when accepted. */
export function typeText(typed: string, typedIn: BuildState['typedIn'] = 'text'): void {
  if (typed === build.getState().text) {
    giveUpTyping();
    return;
  }
  build.setState({ typed, typedIn });
  setBuilt(typed, { commit: false });
}

/** Saves a field while it is typed; it is read when accepted. */
export function typeChange(make: (file: BuildFile) => BuildFile): void {
  const { file, text } = build.getState();
  if (file) typeText(patched(text, make(file)), 'field');
}

/** Discards text that was typed and not accepted. */
export function giveUpTyping(): void {
  if (build.getState().typed !== null && session.getState().dragging) undoEdit();
}

/** Accepts the typed text. */
export function settle(): void {
  const { typed } = build.getState();
  if (typed !== null) commitText(typed);
}

/** Replaces the built text; it runs at once if it is complete. */
export function commitText(text: string): void {
  show(text);
  select({});
  setBuilt(text);
  read(text);
}

const UNREADABLE = 'The text cannot be read as parts and wires: fix it, or undo.';

/** Changes the file, or says why it cannot. */
export function change(make: (file: BuildFile) => BuildFile, words: string): void {
  const changed = () => {
    const { file, text } = build.getState();
    return file && patched(text, make(file));
  };
  // When a field is left, its text may already contain this change.
  if (build.getState().typed !== changed()) settle();
  const next = changed();
  if (next !== null && next !== build.getState().text) commitText(next);
  setNote(next === null ? UNREADABLE : words);
}

/** Draws wires between sockets and announces them. */
function drawn(
  file: BuildFile,
  pairs: readonly SocketPair[],
): { file: BuildFile; wires: string[] } {
  return pairs.reduce(
    (now: { file: BuildFile; wires: string[] }, pair) => {
      const draft = draftOf(now.file);
      const [from = '', to = ''] = pair.map((socket) => socketText(draft, socket));
      return { file: addWire(now.file, from, to), wires: [...now.wires, `${from} to ${to}`] };
    },
    { file, wires: [] },
  );
}

/** Draws the wires of a new part that have only one possible end. */
function wired(file: BuildFile, name: string): { file: BuildFile; wires: string[] } {
  const next = plainWires(draftOf(file), name);
  if (next.length === 0) return { file, wires: [] };
  const now = drawn(file, next);
  const more = wired(now.file, name);
  return { file: more.file, wires: [...now.wires, ...more.wires] };
}

/** Position of the part that a new one will be wired to; null if undecided. */
function peerPlace(file: BuildFile, name: string): DraftPart['at'] {
  const draft = draftOf(file);
  const peer = plainWires(draft, name)[0]?.find(({ part }) => part !== name);
  return (peer && partIn(draft, peer.part)?.at) ?? null;
}

/** Adds the parts and wires of an offer. */
export function takeOffer(offer: Offer): void {
  const { file: offered, parts } = offer;
  const file = parts.reduce((now, { name }) => {
    const type = ENGINE_PARTS.types.get(now.machine.parts[name]?.type ?? '');
    const place = type && freePlace(draftOf(now).parts, type, null);
    return place ? placeParts(now, { [name]: place }) : now;
  }, offered);
  change(() => file, `${offerText(offer)}: done.`);
}

/** Applies the fix of a finding. */
export function applyFix({ title, params = {}, wire }: LintFix): void {
  const withParams = (file: BuildFile) =>
    Object.entries(params).reduce((now, [path, value]) => {
      const [part = '', param = ''] = path.split('.');
      return setPartParam(now, part, param, value);
    }, file);
  change(
    (file) => (wire ? addWire(withParams(file), wire[0], wire[1]) : withParams(file)),
    `${title}: done.`,
  );
}

/** The places of all parts, with a new one where it was dropped. */
function placesWith(
  draft: Draft,
  name: string,
  dropped: DraftPart['at'],
): Record<string, NonNullable<DraftPart['at']>> {
  const places = layoutMachine(draft).parts.map(({ index, box }) => {
    const { x, y, width, height } = box;
    const drawn = [x, y, width, height].map(Math.round) as unknown as NonNullable<DraftPart['at']>;
    const own = draft.parts[index];
    return [own?.name ?? '', own?.at ?? drawn] as const;
  });
  return { ...Object.fromEntries(places), ...(dropped ? { [name]: dropped } : {}) };
}

/** Adds a part of a kind: where it was dropped on the sheet, else at the best free place. */
export function add(typeName: string, at: readonly [x: number, y: number] | null = null): void {
  const { file, draft } = build.getState();
  const type = ENGINE_PARTS.types.get(typeName);
  if (!file || !type) {
    setNote(UNREADABLE);
    return;
  }
  const added = addPart(file, type);
  const place = at
    ? placeAt(type, ...at)
    : freePlace(draft.parts, type, peerPlace(added.file, added.name));
  const places = at ? placesWith(draft, added.name, place) : place && { [added.name]: place };
  const stands = places ? placeParts(added.file, places) : added.file;
  const { file: made, wires } = wired(stands, added.name);
  const joined = wires.length > 0 ? ` It is wired: ${wires.join(', ')}.` : '';
  change(() => made, `${type.title} “${added.name}” was added.${joined}`);
  choose(added.name);
}

export function remove(name: string): void {
  const title = partIn(build.getState().draft, name)?.title ?? name;
  change((file) => removePart(file, name), `${title} was removed, with its wires and programs.`);
}

export const startEmpty = (): void => {
  commitText(fileText(emptyFile()));
  setNote('The sheet is empty. Add a part; undo brings the machine back.');
};

/** Replaces the sheet by a template's machine; undo brings the sheet back. */
export async function startFrom({ title, text }: Template): Promise<void> {
  const found = await whileBusy(text()).catch(() => null);
  if (!found) return setNote(`“${title}” could not be loaded. The sheet is unchanged.`);
  if (!found.ok) throw new Error(found.problems[0]?.message);
  commitText(found.value);
  setNote(`${title}. It runs; undo brings back what was on the sheet.`);
}

export function choose(name: string | null): void {
  const part = name === null ? undefined : partIn(build.getState().draft, name);
  build.setState({ chosen: name, from: null });
  if (part && runsPrograms(part.type)) showProgram(part.name);
  const index = session.getState().machine?.parts.findIndex((part) => part.name === name) ?? -1;
  select(index >= 0 ? { part: index } : {});
}

export const showProgram = (worker: string): void => build.setState({ worker });

/** Begins a wire at a free socket, or cancels it. */
export function wireFrom(from: Socket | null): void {
  const { draft } = build.getState();
  const text = from && socketText(draft, from);
  build.setState({ from });
  if (!from) return;
  const legal = choicesFor(draft, from).filter(({ why }) => why === null);
  const names = legal.map(({ to }) => socketText(draft, to)).join(', ');
  setNote(names ? `${text} can be wired to ${names}.` : `${text}: no port here fits this wire.`);
}

/** Ends the wire at a socket. */
export function wireTo(to: Socket): void {
  const { from, draft } = build.getState();
  if (!from) return;
  const choice = possibleFor(draft, from).find(
    (one) => one.to.part === to.part && one.to.port === to.port,
  );
  const pairs: SocketPair[] = [[from, to], ...(choice?.also ?? [])];
  const texts = pairs.map((pair) => pair.map((socket) => socketText(draft, socket)).join(' to '));
  change((file) => drawn(file, pairs).file, `Wired: ${texts.join(', ')}.`);
}

/** Ends the wire at a part if it has exactly one suitable socket; otherwise says why not. */
export function wireToPart(name: string): void {
  const { from, draft } = build.getState();
  if (!from) return;
  const all = choicesFor(draft, from).filter(({ to }) => to.part === name);
  const legal = all.filter(({ why }) => why === null);
  const [only] = legal;
  if (only && legal.length === 1) wireTo(only.to);
  else if (only) setNote(`${name} has several free places: choose one in the sheet of the part.`);
  else setNote(all[0]?.why ?? strangers(draft, from, name));
}

/** Ends the wire at a chosen socket; otherwise says why not. */
export function wireToSocket(to: Socket): void {
  const { from, draft } = build.getState();
  if (!from) return;
  const found = choicesFor(draft, from).find(
    (one) => one.to.part === to.part && one.to.port === to.port,
  );
  if (found?.why === null && peerOf(draft, to) === null) wireTo(to);
  else setNote(found?.why ?? strangers(draft, from, to.part));
}

export function unwire(socket: Socket): void {
  const { draft } = build.getState();
  const peer = peerOf(draft, socket);
  const text = socketText(draft, socket);
  const other = peer ? socketText(draft, peer) : '';
  change((file) => removeWire(file, text), `The wire from ${text} to ${other} was removed.`);
}

/** The part that a problem concerns. */
export function partOf({ pointer }: Problem): string | null {
  const [, part = null] = /^\/(?:machine\/parts|workload)\/([^/]+)/.exec(pointer) ?? [];
  return part;
}
