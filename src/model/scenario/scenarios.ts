/**
 * The included scenarios, the machines they extend, and their lessons. Titles are available at once, texts are
 * loaded on demand. A new file in scenarios/ is found automatically.
 */

import { fetched } from '../../base/retry-import';
import type { Kind } from '../../base/route';
import { hint, quote } from '../../base/suggest';
import { nextTask, runInSlices } from '../../base/tasks';
import type { LoadOptions } from './load-scenario';
import { failure, problem, type Result } from './problems';
import type { Scenario } from './scenario-types';

export interface ScenarioEntry {
  /** "gt/crossover" */
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly system: string;
  readonly kind: Kind;
  readonly minutes?: number;
  /** Position within its system. */
  readonly order?: number;
  /** The common belief that the scenario tests: "DMA is always faster". */
  readonly belief?: string;
  /** Number of questions in its lesson. */
  readonly questions: number;
  /** Whether its experiment has curves that cross. */
  readonly crosses?: true;
}

/** The introduction, the published systems, and machines that combine parts of several. */
const SYSTEMS: readonly { readonly id: string; readonly title: string }[] = [
  { id: 'start', title: 'Start here' },
  { id: 'gt', title: 'SCRAMNet GT' },
  { id: 'hp', title: 'HP 9000 J/K class' },
  { id: 'pools', title: 'Pooled IOMMU allocation' },
  { id: 'zx1', title: 'HP zx1' },
  { id: 'soc', title: 'System on a chip' },
  { id: 'one', title: 'One machine' },
];

type Lazy = Readonly<Record<string, () => Promise<string>>>;

const entries = import.meta.glob<Omit<ScenarioEntry, 'id'>>(
  ['/scenarios/*/*.json', '!/scenarios/machines/*.json'],
  { query: '?entry', import: 'default', eager: true },
);
const texts: Lazy = import.meta.glob<string>(
  ['/scenarios/*/*.json', '!/scenarios/machines/*.json'],
  {
    query: '?raw',
    import: 'default',
  },
);
const machines: Lazy = import.meta.glob<string>('/scenarios/machines/*.json', {
  query: '?raw',
  import: 'default',
});
const lessons: Lazy = import.meta.glob<string>('/scenarios/*/*.md', {
  query: '?raw',
  import: 'default',
});

export const idOf = (path: string) => path.replace(/^\/scenarios\//, '').replace(/\.\w+$/, '');

/** Display name of a system. */
export const systemTitle = (id: string): string =>
  SYSTEMS.find((system) => system.id === id)?.title ?? id;

const order = (system: string) => {
  const index = SYSTEMS.findIndex(({ id }) => id === system);
  return index < 0 ? SYSTEMS.length : index;
};

const place = (entry: ScenarioEntry) => entry.order ?? Number.MAX_SAFE_INTEGER;

const listed = Object.entries(entries)
  .map(([path, entry]): ScenarioEntry => ({ id: idOf(path), ...entry }))
  .sort(
    (a, b) => order(a.system) - order(b.system) || place(a) - place(b) || (a.id < b.id ? -1 : 1),
  );

export const listScenarios = (): readonly ScenarioEntry[] => listed;

async function scenarioText(id: string): Promise<string | null> {
  const path = `/scenarios/${id}.json`;
  const load = Object.hasOwn(texts, path) ? texts[path] : undefined;
  return load ? fetched(load) : null;
}

/** The lesson file of a scenario; null if it has none, or contains the lesson's text. */
export const lessonFile = (lesson: string | null): string | null =>
  lesson?.startsWith('# ') ? null : lesson;

/** The text of a scenario's lesson: from the scenario, or from a file next to it. */
export async function lessonOf({
  id,
  lesson,
}: Pick<Scenario, 'id' | 'lesson'>): Promise<string | null> {
  const file = lessonFile(lesson);
  if (file === null) return lesson;
  const path = `/scenarios/${id.slice(0, id.lastIndexOf('/'))}/${file}`;
  const load = Object.hasOwn(lessons, path) ? lessons[path] : undefined;
  return load ? fetched(load) : null;
}

/** Preloads everything that reading a scenario needs. */
export async function fetchScenario(id: string): Promise<void> {
  const parts = [texts[`/scenarios/${id}.json`], lessons[`/scenarios/${id}.md`]];
  const comes = parts.map((load) => load?.());
  await Promise.allSettled([...comes, reader(), machineTexts()]);
}

export async function machineTexts(): Promise<ReadonlyMap<string, string>> {
  const found = Object.entries(machines).map(
    async ([path, read]) => [idOf(path).replace('machines/', ''), await fetched(read)] as const,
  );
  return new Map(await Promise.all(found));
}

/**
 * Included scenarios are checked by tests/golden/scenarios.test.ts, so the page and other tests skip the checks. The
 * command line does not, because the files may have been edited.
 */
const { PROD, SSR, MODE } = import.meta.env;
const CHECKED_BY_TESTS = PROD ? !SSR : MODE === 'test';

const reader = () => import('./load-scenario');
const checker = () => import('./load');

/** The reader is loaded with the first text, the structure checks with the first unknown text. */
async function read(text: string, options: LoadOptions, known: boolean): Promise<Result<Scenario>> {
  const [{ shapeScenario }, machines, checked] = await Promise.all([
    fetched(reader),
    machineTexts(),
    known ? null : fetched(checker),
  ]);
  await nextTask();
  const shaped = shapeScenario(text, { ...options, machines }, checked?.SHAPES ?? null);
  if (!shaped.ok) return shaped;
  await nextTask();
  return runInSlices(shaped.value.read());
}

/** Reads a scenario from a text. */
export const readText = (text: string, file: string): Promise<Result<Scenario>> =>
  read(text, { file }, false);

export async function readScenario(id: string): Promise<Result<Scenario>> {
  const text = await scenarioText(id);
  if (text !== null) return read(text, { id, file: `${id}.json` }, CHECKED_BY_TESTS);
  const known = listed.map((entry) => entry.id);
  return failure([problem(`There is no scenario ${quote(id)}${hint(id, known)}`)]);
}
