/**
 * While a question is open nothing on the page reveals its answer. Questions about every kind of quantity are put on the
 * page with all panels of their view, as pictures and as texts. What it asks about is counted wrong on purpose, so
 * that the numbers made from it are like no others: they must be nowhere beside the question, and must be
 * there once it is answered.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ComponentProps, Suspense } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { panelsOf } from '../src/app/panels';
import { NO_BREAK_SPACE, significant } from '../src/base/format';
import { type Kind, navigate, type View } from '../src/base/route';
import { createStore } from '../src/base/store';
import { useStore } from '../src/controllers/useStore';
import { counterText } from '../src/draw/machine/facts';
import { metricText } from '../src/draw/pools/results';
import type { Engine, SweepJob, Sweeps } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { planOf } from '../src/model/lab/plan';
import { answerMask } from '../src/model/lesson/answer-mask';
import { conditionAt } from '../src/model/lesson/evidence';
import {
  hiddenBy,
  type Lesson,
  parseLesson,
  plainText,
  type Question,
} from '../src/model/lesson/lesson';
import { openLesson } from '../src/model/lesson/open-lesson';
import { compile } from '../src/model/scenario/compile';
import { type CompiledMachine, partNamed } from '../src/model/scenario/compiled';
import { agrees, metricValue } from '../src/model/scenario/experiment';
import { listScenarios } from '../src/model/scenario/scenarios';
import { answers, saveAnswer, scenarioKey } from '../src/model/session/answers';
import { player } from '../src/model/session/open-run';
import { select } from '../src/model/session/selection';
import { session, setView } from '../src/model/session/session';
import { openScenario } from '../src/model/session/session-module';
import { standInForPage } from '../src/widgets/page.fixture';
import { PanelContext, type PanelDefinition } from '../src/widgets/panels';

// A panel shows its picture and, below it, its text alternative.
vi.mock('../src/widgets/Panel', async (importOriginal) => {
  const { Panel } = await importOriginal<typeof import('../src/widgets/Panel')>();
  return {
    Panel: (props: ComponentProps<typeof Panel>) => (
      <Panel {...props}>
        {props.children}
        {props.textAlternative}
      </Panel>
    ),
  };
});

vi.mock('../src/engine/workers', () => ({
  createWorkerEngine: localEngine,
  createSweepWorkers: () => alike,
  exploreInWorker: () => Promise.reject(new Error('This test explores no states.')),
}));

vi.mock('../src/model/session/path-page', async () =>
  (await import('../src/widgets/page.fixture')).pathsOfPage(),
);

/** What is counted is replaced, so that the first milliseconds of a long run show as much as all of it. */
const LONGEST_PS = 20e9;

vi.mock('../src/model/scenario/compile', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/model/scenario/compile')>();
  return {
    ...original,
    compile(...scenario: Parameters<typeof compile>): ReturnType<typeof compile> {
      const made = original.compile(...scenario);
      if (!made.ok) return made;
      return {
        ...made,
        value: { ...made.value, untilPs: Math.min(made.value.untilPs, LONGEST_PS) },
      };
    },
  };
});

/** The miscounted values of counters that are asked about, by their index among all counters of the machine. */
const asked = new Map<number, number>();

/** No run counts this, nor do two questions. */
const unheardOf = (question: number): number => 7_919_191_919 + question * 1_231_231_231;

function miscount(flat: Float64Array): Float64Array {
  for (const [at, value] of asked) if (at < flat.length) flat[at] = value;
  return flat;
}

function parted(flat: Float64Array): Float64Array[] {
  let from = 0;
  return (session.getState().machine?.parts ?? []).map(({ type }) => {
    from += type.counters.length;
    return flat.slice(from - type.counters.length, from);
  });
}

/** An engine in this process, which starts with the first request as one in a worker does, and miscounts. */
function localEngine(): Engine {
  let engine: Promise<Engine> | undefined;
  const one = () => (engine ??= createLocalEngine());
  const own: Partial<Engine> = {
    async frame(request) {
      const frame = await (await one()).frame(request);
      const flat = Float64Array.from(frame.counters.flatMap((some) => [...some]));
      return { ...frame, counters: parted(miscount(flat)) };
    },
    async overview() {
      const samples = await (await one()).overview();
      return samples.map((sample) => ({
        ...sample,
        counters: miscount(Float64Array.from(sample.counters)),
      }));
    },
    release() {},
  };
  const call =
    (name: keyof Engine) =>
    async (...args: unknown[]) => {
      const to = await one();
      return (to[name] as (...all: unknown[]) => unknown).apply(to, args);
    };
  return new Proxy(own as Engine, {
    get: (target, name: keyof Engine) => target[name] ?? call(name),
  });
}

const WAIT = { timeout: 60_000, interval: 5 };

/** What the page shows at the end of the open run. */
const finalCounters = (): Float64Array[] =>
  parted(Float64Array.from(player.recording()?.overview.at(-1)?.counters ?? []));

/** Whether a run lies on another curve than the open one; without curves none does. */
function otherCurve(): (config: Uint8Array) => boolean {
  const { data, machine } = session.getState();
  const plan = data && planOf(data);
  const own = plan?.series.find(({ at }) => machine && agrees(machine.variables, at));
  const others = (plan?.points ?? []).flatMap(({ series, variables }) => {
    const run = data && compile(data, { variables, traceLog2: 0 });
    return series !== own?.index && run?.ok ? [run.value.config] : [];
  });
  const known = new Set(others.map(String));
  return (config) => known.has(String(config));
}

/** All runs of a curve end as the open run does. Those of other curves count nothing that is asked about. */
const alike: Sweeps = {
  async sweep({ sessions }: SweepJob, onResult) {
    await vi.waitUntil(() => player.state.getState().complete, WAIT);
    const isOther = otherCurve();
    const counters = finalCounters();
    const others = parted(
      Float64Array.from(counters.flatMap((some) => [...some])).map((value, at) =>
        asked.has(at) ? 1e6 : value,
      ),
    );
    const end = { hash: null, reason: 'idle', wallMs: 0, timePs: 0, events: 0, seq: 0 } as const;
    for (const [index, { config }] of sessions.entries())
      onResult({ ...end, index, counters: isOther(config) ? others : counters });
    return 'done';
  },
  cancel() {},
  dispose() {},
};

const conditionsIn = ({ options }: Question) => options.flatMap(({ when }) => when);

/** A value as a program writes it; none if the page may have the same number for another reason. */
const unrounded = (value: number): string[] =>
  /[1-9](\.?\d){5}/.test(String(value).replace(/0+$/, '')) ? [String(value)] : [];

/** How the page writes what the question asks about, and all that is made from it. */
function answersOf(question: Question, machine: CompiledMachine): string[] {
  const counters = conditionsIn(question).flatMap((condition) => {
    const spec = partNamed(machine, condition.part)?.type.counters.find(
      ({ name }) => name === condition.counter,
    );
    const value = asked.get(conditionAt(machine, condition)?.place ?? -1) ?? 0;
    return [counterText({ unit: spec?.unit ?? '' }, value), ...unrounded(value)];
  });
  const metrics = [...(session.getState().data?.metrics.values() ?? [])].flatMap((metric) => {
    if (!answerMask.getState()?.masksMetric(metric)) return [];
    const value = metricValue(metric, machine.variables, finalCounters());
    if (value === null) return [];
    return [significant(value, 4), metricText(metric, value), ...unrounded(value)];
  });
  return [...new Set([...counters, ...metrics])].filter((text) => /\d\D*\d\D*\d/.test(text));
}

/** Whether words contain a number, and not only as the end of a longer one. */
const says = (words: string, number: string): boolean =>
  words
    .split(number)
    .slice(0, -1)
    .some((before) => !/[\d.]$/.test(before));

const partsAsked = (question: Question, machine: CompiledMachine): number[] => [
  ...new Set(conditionsIn(question).map(({ part }) => partNamed(machine, part)?.index ?? -1)),
];

/** Attributes that say nothing: how things look, where they are, and what belongs to what. */
const MUTE =
  /^(class|style|id|for|name|type|role|tabindex|fill|stroke.*|transform|d|points|[xyrwh]|[cr][xy]|[xy][12]|d[xy]|width|height|viewbox|aria-(labelledby|describedby|controls|owns|activedescendant))$/i;

/** All words of the page but those of the lesson: texts, titles of drawings, and what attributes say. */
function wordsOf(root: Element): string {
  const words: string[] = [];
  const visit = (element: Element): void => {
    // The digest of the state may have any digits.
    if (element.id === 'lesson') return;
    for (const child of element.children) if (child.hasAttribute('data-hash')) return;
    for (const { name, value } of element.attributes) if (!MUTE.test(name)) words.push(value);
    // What a reader types or chooses is no attribute.
    const { value } = element as HTMLInputElement;
    if (typeof value === 'string') words.push(value);
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE) words.push(node.nodeValue ?? '');
      else if (node.nodeType === Node.ELEMENT_NODE) visit(node as Element);
  };
  visit(root);
  return words.join('\n');
}

const ALWAYS = createStore(true);

const place = (id: string) => ({ id, maximised: false, asText: false, canMaximise: false });

function Shown({ panel: { id, shown = ALWAYS, component: Panel } }: { panel: PanelDefinition }) {
  return (
    useStore(shown) && (
      <PanelContext value={place(id)}>
        <Suspense fallback={<i data-fallback />}>
          <Panel />
        </Suspense>
      </PanelContext>
    )
  );
}

/** Every panel that the view can show at once, tabs and the choice of a beginner's scenario notwithstanding. */
const Page = ({ view }: { readonly view: View }) =>
  panelsOf(view, false).map((panel) => <Shown key={panel.id} panel={panel} />);

/** Panels of results, which say at once what a question asks, and of one view that a question can name. */
const OF_RESULTS =
  /^(crossover-.*|caption|runs|experiment-curves|load-curves|response-curves|sensitivity|gains|application-gains|designs|designs-(first|beside)|pool-results|pool-doctor|io-tlb)$/;

/** Panels that are hidden whole although they show a run up to the playhead: only the quantity is sealed in them. */
const hiddenWhole = (page: Element): string[] =>
  [...page.querySelectorAll('[data-sheet]')]
    .filter(({ textContent }) => textContent.includes('Hidden while the question is open'))
    .map(({ id }) => id)
    .filter((id) => !OF_RESULTS.test(id));

/** A number and its unit may be kept on one line, in the lesson's file or by the page. */
const spaced = (text: string): string => text.replaceAll(NO_BREAK_SPACE, ' ');

const lessonOf = (page: Element): string =>
  spaced(page.querySelector('#lesson')?.textContent ?? '');

const firstWords = ({ prompt }: Question): string => spaced(plainText(prompt)).slice(0, 20);

const breath = () => new Promise((done) => setTimeout(done, 30));

let failure: unknown;

/** The words of the page once it has some and they have settled. */
async function settledWords(root: HTMLElement): Promise<string> {
  for (let words = ''; ; ) {
    await breath();
    // A page that failed is empty: it reveals nothing.
    if (failure) throw failure;
    const now = wordsOf(root);
    if (now === words && now !== '') return now;
    words = now;
  }
}

let root: Root | undefined;

/** The view, mounted once: that is most of the work. */
function show(view: View): HTMLElement {
  const container = document.body.appendChild(document.createElement('div'));
  failure = undefined;
  root = createRoot(container, {
    onUncaughtError(error) {
      failure = error;
    },
  });
  root.render(<Page view={view} />);
  return container;
}

/** What is shown, with one after another of the parts asked about in the inspector. */
async function wordsNow(container: HTMLElement, parts: readonly number[]): Promise<string> {
  await vi.waitUntil(() => player.state.getState().status === 'ready', WAIT);
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  await vi.waitUntil(() => container.querySelector('[data-fallback]') === null, WAIT);
  let words = await settledWords(container);
  for (const part of parts) {
    select({ part });
    words += await settledWords(container);
  }
  select({});
  return words;
}

interface Opened {
  readonly machine: CompiledMachine;
  readonly lesson: Lesson;
}

/** Opens a scenario whose run will be miscounted. */
async function open(id: string, view: View): Promise<Opened> {
  answers.setState({}, true);
  asked.clear();
  navigate({ view, scenario: id });
  await openScenario(id);
  const { machine } = session.getState();
  const lesson = openLesson.getState();
  if (!machine || !lesson) throw new Error(`${id} was not opened.`);
  for (const [step, { question }] of lesson.steps.entries())
    for (const condition of question ? conditionsIn(question) : []) {
      const at = conditionAt(machine, condition)?.place ?? -1;
      if (!asked.has(at)) asked.set(at, unheardOf(step));
    }
  return { machine, lesson };
}

const answered = (question: Question): void =>
  saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null });

beforeAll(() => standInForPage(420));

afterEach(() => {
  root?.unmount();
  document.body.replaceChildren();
});

type Place = readonly [id: string, view: Kind];

/** What the questions of a place hide, by the view in which it is hidden; a lesson's third lap is a lap. */
function hiddenIn([id, view]: Place): readonly string[] {
  const file = join('scenarios', `${id}.md`);
  const steps = existsSync(file) ? parseLesson(readFileSync(file, 'utf8')).steps : [];
  const names = steps.flatMap(({ question }) => (question ? [...hiddenBy(question)] : []));
  const system = id.split('/')[0];
  return names.length === 0
    ? []
    : [system, ...names.map((name) => name.replace(/^.*\.|_?\d+$/g, ''))].map(
        (name) => `${view} ${name}`,
      );
}

/**
 * Few places that together hide every kind of quantity in each view, and are of each system. A panel covers a counter
 * by its name, so that another lesson with the same counters says nothing new.
 */
function fewPlaces(places: readonly Place[]): readonly Place[] {
  const rest = new Map(places.map((place) => [place, hiddenIn(place)]));
  const left = new Set([...rest.values()].flat());
  const gain = (place: Place) => (rest.get(place) ?? []).filter((name) => left.has(name)).length;
  const chosen: Place[] = [];
  while (left.size > 0) {
    const best = places.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    chosen.push(best);
    for (const name of rest.get(best) ?? []) left.delete(name);
  }
  return chosen;
}

const places = listScenarios().flatMap(({ id, kind }): Place[] =>
  kind === 'lab'
    ? [
        [id, 'lab'],
        [id, 'machine'],
      ]
    : [[id, kind]],
);

test.each([
  ['a text', '<p>The bus took 7,919 µs.</p>'],
  ['the title of a drawing', '<svg><g><title>7,919 µs</title></g></svg>'],
  ['the description of a drawing', '<svg><desc>busy for 7,919 µs</desc></svg>'],
  ['a picture', '<img alt="7,919 µs">'],
  ['a value for screen readers', '<div role="meter" aria-valuenow="7,919 µs"></div>'],
  ['a tooltip', '<button title="7,919 µs">?</button>'],
  ['a field', '<input value="7,919 µs">'],
  ['a bar', '<progress value="7,919 µs" max="1"></progress>'],
  ['a link', '<a href="#/machine/x?time=7,919 µs">there</a>'],
])('a number in %s is read', (_, page) => {
  document.body.innerHTML = page;
  expect(says(wordsOf(document.body), '7,919 µs')).toBe(true);
});

test.each(fewPlaces(places))(
  '%s, in the view %s, reveals no answer while its question is open',
  async (id, view) => {
    const { machine, lesson } = await open(id, view);
    const page = show(view);
    for (const [step, { question }] of lesson.steps.entries()) {
      if (!question) continue;
      setView({ step });
      // Panels are put up once, so the words of the step before stand there for a moment.
      const asks = () => lessonOf(page).includes(firstWords(question));
      await vi.waitUntil(asks, WAIT);
      const words = await wordsNow(page, partsAsked(question, machine));
      const shown = answersOf(question, machine).filter((text) => says(words, text));
      const prompt = plainText(question.prompt);
      expect(
        shown,
        `${prompt} A panel shows these answers; cover them by useAnswerMask().`,
      ).toEqual([]);
      expect(hiddenWhole(page), `${prompt} These panels hide more than the answer.`).toEqual([]);
      answered(question);
    }
  },
  120_000,
);

test.each([
  ['hp/two-streams', 'machine'],
  ['gt/peer-to-peer', 'machine'],
  ['gt/two-engines', 'machine'],
  ['gt/double-buffer', 'machine'],
  ['pools/offload', 'lab'],
] as const)(
  '%s, in the view %s, says what it covered once that is answered',
  async (id, view) => {
    const { machine, lesson } = await open(id, view);
    const question = lesson.steps[0]?.question;
    if (!question) throw new Error('The first step asks nothing.');
    const parts = partsAsked(question, machine);
    const page = show(view);
    await wordsNow(page, []);
    const masked = answersOf(question, machine);
    answered(question);
    const words = await wordsNow(page, parts);
    expect(masked.filter((text) => says(words, text))).not.toEqual([]);
  },
  120_000,
);

test('the map of a table does not tell which entries are never allocated while that is asked', async () => {
  const { lesson } = await open('pools/last-two', 'machine');
  const question = lesson.steps[0]?.question;
  if (!question) throw new Error('The first step asks nothing.');
  const page = show('machine');
  /** The longest free stretch of a pool in which nothing is in use yet. */
  const longestFree = () => {
    const table = [...page.querySelectorAll('table')].find(({ caption }) =>
      caption?.textContent.includes('The pools at the playhead'),
    );
    return table?.querySelector('tbody tr:nth-child(3)')?.children[4]?.textContent;
  };
  const words = await wordsNow(page, []);
  expect(longestFree()).toBe('16');
  expect(words).not.toContain('never allocated');
  answered(question);
  expect(await wordsNow(page, [])).toContain('never allocated');
  expect(longestFree()).toBe('14');
});
