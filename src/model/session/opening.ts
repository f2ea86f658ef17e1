/**
 * Opens a scenario, a file or a link as the session of the page. One that is refused leaves the open session as it was.
 */

import { whileBusy } from '../../base/activity';
import { fetched, NotFetched } from '../../base/retry-import';
import { nextTask } from '../../base/tasks';
import { LAYOUT_HASH } from '../../engine/gen/layout';
import type { CompiledMachine } from '../scenario/compile';
import { isGttp, parseGttp } from '../scenario/gttp-import';
import { lineOf, type Problem, problem, type Result, success } from '../scenario/problems';
import type { Scenario } from '../scenario/scenario-types';
import { lessonOf, readScenario, readText } from '../scenario/scenarios';
import { answersById } from './answer-ids';
import { mergeAnswers, scenarioKey } from './answers';
import { refusedCommands } from './commands';
import {
  BUILT_FILE,
  type Changes,
  isSession,
  lastRunnable,
  layoutText,
  NAME_LENGTH,
  NO_CHANGES,
  type ScenarioRef,
  type SessionDocument,
} from './document';
import { type Beginning, prepare } from './editing';
import { type IsLatest, newRequest } from './request-token';
import { type Measured, session, setMeasured } from './session';
import { loadSessionModule } from './session-module';
import type { Unpack } from './unpacking';

export type OpenResult =
  /** `overtaken`: something else was opened meanwhile, and stays. `stopped`: by the user. */
  | { readonly ok: true; readonly overtaken?: true; readonly stopped?: true }
  | {
      readonly ok: false;
      readonly title: string;
      readonly problems: readonly Problem[];
      /** Nothing is wrong with it: a part of the page could not be fetched. */
      readonly unfetched?: boolean;
    };

const OVERTAKEN: OpenResult = { ok: true, overtaken: true };

const refusal = (title: string, problems: readonly Problem[]): OpenResult => ({
  ok: false,
  title,
  problems,
});

interface Opening extends Beginning {
  readonly document: SessionDocument | null;
  /** See `SessionState.work`. */
  readonly work: string | null;
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

const changesOf = ({
  edits,
  commands,
  seed,
  variables,
  programs,
  built,
}: SessionDocument): Changes => ({
  edits,
  commands,
  seed,
  variables,
  ...(programs ? { programs } : {}),
  ...(built ? { built } : {}),
});

/** What puts a new session into the store; or why its changes do not fit its scenario. */
function prepared(opening: Opening): Result<() => void> {
  const { document, work } = opening;
  const changes = document ? changesOf(document) : NO_CHANGES;
  const same = document === null || document.layout === layoutText(LAYOUT_HASH);
  const ready = prepare(opening, changes, (machine) => ({
    cursor: document?.cursor.events ?? 0,
    view: document?.view ?? {},
    measured: measuredOf(document),
    bookmarks: document?.bookmarks ?? [],
    work,
    leftOut: leftOutOf(document, machine),
    warning: same
      ? null
      : 'This session was made with another version of the engine; its numbers may differ.',
    expectedHash: same ? (document?.hash ?? null) : null,
  }));
  if (!ready.ok || !document?.answers) return ready;
  const { answers } = document;
  return success(() => {
    ready.value();
    mergeAnswers(scenarioKey(session.getState()), answers);
  });
}

function unfetched(error: unknown) {
  if (!(error instanceof NotFetched)) throw error;
  return { ok: false, problems: [problem(error.message)], unfetched: true } as const;
}

/** Reads in the background, null when that was stopped, and replaces the session only when everything fits. */
async function opened(
  title: string,
  read: () => Promise<Result<Opening> | null>,
  newest: IsLatest = newRequest(),
): Promise<OpenResult> {
  if (!newest()) return OVERTAKEN;
  const { status } = session.getState();
  const settled = status === 'opening' ? 'none' : status;
  if (settled === 'none') session.setState({ status: 'opening' });
  const opening = await loadSessionModule().then(read).catch(unfetched);
  await nextTask();
  if (!newest()) return OVERTAKEN;
  const ready = opening?.ok ? prepared(opening.value) : opening;
  await nextTask();
  if (!newest()) return OVERTAKEN;
  if (session.getState().status === 'opening') session.setState({ status: settled });
  if (!ready) return { ok: true, stopped: true };
  if (!ready.ok) return { title, ...ready };
  ready.value();
  return { ok: true };
}

/** The same; the page is not at rest until it is done. */
const open = (...from: Parameters<typeof opened>): Promise<OpenResult> =>
  whileBusy(opened(...from));

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
  const good = document?.built ? lastRunnable(document.built) : '';
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
  if (!scenario.ok) return scenario;
  const { answers } = document;
  const current =
    answers && 'id' in wanted
      ? { ...document, answers: await answersById(wanted.id, answers) }
      : document;
  return openingOf(wanted, scenario.value, current, work);
}

const NO_CURVES =
  'Measurements of a card are shown beside the curves of a lab about sizes, such as gt/crossover; open it first.';

/**
 * Opens a scenario file, a saved session, or measurements to show beside the open session. `work` is the name under
 * which the text is kept already; `newest` is the request token of the caller that waited for the text.
 */
export async function openText(
  text: string,
  fileName: string,
  work: string | null = null,
  newest?: IsLatest,
): Promise<OpenResult> {
  const title = `${fileName} could not be opened.`;
  const name = fileName.slice(0, NAME_LENGTH);
  if (newest && !newest()) return OVERTAKEN;
  if (isGttp(text)) {
    const table = parseGttp(text, fileName);
    if (!table.ok) return refusal(title, table.problems);
    const { data } = session.getState();
    if (data?.view.kind !== 'lab' || !data.experiment?.crossings.length)
      return refusal(title, [problem(NO_CURVES)]);
    setMeasured({ name, text, table: table.value });
    return { ok: true };
  }
  const read = async () => {
    if (isSession(text)) {
      const { readDocument } = await fetched(() => import('./document-file'));
      const document = readDocument(text, fileName);
      return document.ok ? readOpening(document.value, work) : document;
    }
    const scenario = await readText(text, fileName);
    return scenario.ok ? openingOf({ text, name }, scenario.value, null) : scenario;
  };
  return open(title, read, newest);
}

/** Opens what a link holds. Where `signal` stops it, the session stays as it is. */
export const openShare = (
  code: string,
  unpack: Unpack,
  signal?: AbortSignal,
): Promise<OpenResult> =>
  open('The link could not be opened.', async () => {
    const document = await unpack(code, signal);
    return document?.ok ? readOpening(document.value) : document;
  });
