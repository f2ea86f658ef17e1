/** Opens a scenario, a file or a link as the session of the page. If it is refused, the open session stays. */

import { whileBusy } from '../../base/activity';
import { fetched, NotFetched } from '../../base/retry-import';
import { nextTask } from '../../base/tasks';
import { LAYOUT_HASH } from '../../engine/gen/layout';
import type { CompiledMachine } from '../scenario/compiled';
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
  type OpenResult,
  type ScenarioRef,
  type SessionDocument,
} from './document';
import { type Beginning, prepare } from './editing';
import { type IsLatest, newRequest } from './request-token';
import { type Measured, session, setMeasured } from './session';
import type { Unpack } from './unpacking';

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

/** Parsed measurements; invalid ones are kept in the document but not shown. */
function measuredOf(document: SessionDocument | null): Measured | null {
  if (!document?.measured) return null;
  const table = parseGttp(document.measured.text);
  return { ...document.measured, table: table.ok ? table.value : {} };
}

/** Contents of a document that are kept but have no effect, as sentences. */
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
  lesson,
}: SessionDocument): Changes => ({
  edits,
  commands,
  seed,
  variables,
  ...(programs ? { programs } : {}),
  ...(built ? { built } : {}),
  ...(lesson === undefined ? {} : { lesson }),
});

/** Prepares the replacement of the store's session, or returns why the changes do not fit the scenario. */
function prepared(opening: Opening): Result<() => void> {
  const { document, work } = opening;
  const changes = document ? changesOf(document) : NO_CHANGES;
  const same = document === null || document.layout === layoutText(LAYOUT_HASH);
  const ready = prepare(opening, changes, (machine) => ({
    cursor: document?.cursor.events ?? 0,
    view: document?.view ?? {},
    measured: measuredOf(document),
    bookmarks: document?.bookmarks ?? [],
    forks: document?.forks ?? [],
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

/** Opens in the background (null if cancelled) and replaces the session only if everything is valid. */
async function opened(
  title: string,
  read: () => Promise<Result<Opening> | null>,
  newest: IsLatest = newRequest(),
): Promise<OpenResult> {
  if (!newest()) return OVERTAKEN;
  const { status } = session.getState();
  const settled = status === 'opening' ? 'none' : status;
  if (settled === 'none') session.setState({ status: 'opening' });
  const opening = await read().catch(unfetched);
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

/** The same; the page is busy until it is done. */
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
  const { scenario: reference } = document;
  const scenario = await ('id' in reference
    ? readScenario(reference.id)
    : readText(reference.text, reference.name));
  if (!scenario.ok) return scenario;
  const { answers } = document;
  const current =
    answers && 'id' in reference
      ? { ...document, answers: await answersById(reference.id, answers) }
      : document;
  return openingOf(reference, scenario.value, current, work);
}

const NO_CURVES =
  'Measurements of a card can be shown only with the curves of a lab about sizes, such as gt/crossover; open it first.';

/**
 * Opens a scenario file, a saved session, or measurements to show with the open session. `work` is the name under
 * which the text is already saved; `newest` is the request token of a caller that waited for the text.
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

/** Opens a share link. If `signal` aborts, the session stays as it was. */
export const openShare = (
  code: string,
  unpack: Unpack,
  signal?: AbortSignal,
): Promise<OpenResult> =>
  open('The link could not be opened.', async () => {
    const document = await unpack(code, signal);
    return document?.ok ? readOpening(document.value) : document;
  });
