/** The sheets of a lesson, each on a page of its own. */
import { count, significant, unitAfter } from '../../base/format';
import { layoutMachine } from '../../draw/machine/layout';
import { partShapes, wireShapes } from '../../draw/machine/machine';
import { rect } from '../../draw/shape';
import { type Lesson, plainText, type Question } from '../../model/lesson/lesson';
import {
  printedOrder,
  type Solutions,
  type WorksheetItem,
  worksheetItems,
} from '../../model/lesson/worksheet';
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Scenario } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { Prose, Words } from './Prose';
import { QrCode } from './QrCode';
import styles from './Worksheet.module.css';

export interface SheetProps {
  readonly scenario: Scenario;
  readonly lesson: Lesson;
  readonly machine: CompiledMachine;
  /** Key of the scenario, which decides the order of the options. */
  readonly name: string;
  /** Address of a step; null where none leads to the scenario, as for a file. */
  address(step: number): string | null;
}

interface FrameProps {
  readonly title: string;
  readonly sub: string;
  readonly foot: string;
  readonly hasFields?: boolean;
  readonly children: React.ReactNode;
}

function Frame({ title, sub, foot, hasFields, children }: FrameProps) {
  return (
    <article className={styles.sheet} data-theme="light">
      <header className={styles.head}>
        <div>
          <h3>{title}</h3>
          <p>{sub}</p>
        </div>
        {hasFields && (
          <div className={styles.fields}>
            <span>Name</span>
            <span>Group</span>
          </div>
        )}
      </header>
      {children}
      <footer className={styles.foot}>
        <span>Busyard, {foot}</span>
      </footer>
    </article>
  );
}

/** Width of the text on a sheet, in px. */
const TEXT_WIDTH = 672;

/** Room around the parts for signs that stick out. */
const MARGIN = 10;

/** The machine without its state, cropped to its parts. */
function Drawing({ machine }: { readonly machine: CompiledMachine }) {
  const layout = layoutMachine(machine, true);
  const boxes = layout.parts.map(({ box }) => box);
  const corners = layout.wires.flatMap((wire) => wire.corners);
  const xs = corners.filter((_, at) => at % 2 === 0);
  const left = Math.min(...xs, ...boxes.map(({ x }) => x)) - MARGIN;
  const right = Math.max(...xs, ...boxes.map(({ x, width }) => x + width)) + MARGIN;
  const width = right - left;
  return (
    <SvgView
      width={width}
      height={layout.height}
      scale={Math.min(1, TEXT_WIDTH / width)}
      className={styles.drawing}
      label="The machine"
    >
      <g transform={`translate(${-left} 0)`}>
        <ShapeView shapes={wireShapes(layout)} />
        {layout.parts.map((part) => (
          <ShapeView key={part.index} shapes={partShapes(part, false)} />
        ))}
      </g>
    </SvgView>
  );
}

function Objectives({ lesson }: { readonly lesson: Lesson }) {
  if (lesson.objectives.length === 0) return null;
  return (
    <section className={styles.aims}>
      <h4>After this lesson you can</h4>
      <ul>
        {lesson.objectives.map((aim) => (
          <li key={plainText(aim)}>
            <Words inlines={aim} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lines({ of }: { readonly of: number }) {
  return Array.from({ length: of }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines are alike
    <hr key={line} className={styles.line} />
  ));
}

interface OptionsProps {
  readonly question: Question;
  readonly name: string;
  /** Id of the option that is ticked; undefined for the reader to tick one. */
  readonly right?: string | null;
}

function Options({ question, name, right }: OptionsProps) {
  return (
    <ul className={styles.options}>
      {printedOrder(question, name).map((at) => {
        const option = question.options[at];
        const isRight = right !== undefined && option?.id === right;
        return (
          <li key={at} data-right={isRight || undefined}>
            <i aria-hidden="true">{isRight && '✓'}</i>
            <span>
              <Words inlines={option?.inlines ?? []} />
            </span>
            {isRight && <em>what happened</em>}
          </li>
        );
      })}
    </ul>
  );
}

interface ItemProps {
  readonly item: WorksheetItem;
  readonly number: number;
  readonly name: string;
  readonly address: string | null;
  /** Whether the text of its step stands above it. */
  readonly hasText: boolean;
}

/** A question to tick, or a task to do, with room to write. */
function Item({ item, number, name, address, hasText }: ItemProps) {
  const { question, task, step } = item;
  return (
    <section className={styles.item}>
      <div>
        {hasText && <Prose blocks={step.blocks} />}
        <h4>
          <b>{number}</b>
          <Words inlines={question?.prompt ?? task?.inlines ?? []} />
        </h4>
        {question && <Options question={question} name={name} />}
        <p className={styles.because}>{question ? 'because' : 'What changed, and why?'}</p>
        <Lines of={2} />
      </div>
      {address !== null && (
        <QrCode
          address={address}
          leadsTo={`step ${item.number}: ${question ? 'see it happen' : 'do it'}`}
        />
      )}
    </section>
  );
}

/** Lanes in which a prediction is drawn. */
const MAX_LANES = 4;

function Draw({ machine, number }: { readonly machine: CompiledMachine; readonly number: number }) {
  const drawn = machine.parts.filter(({ at, type }) => at && type.tracks.length > 0);
  // One part of each type: four processors would leave no lane for the bus.
  const parts = drawn.filter(
    ({ type }, index) => drawn.findIndex((one) => one.type === type) === index,
  );
  if (parts.length < 2) return null;
  return (
    <section className={styles.item}>
      <div>
        <h4>
          <b>{number}</b>Draw your prediction: when is each part busy, and when does it wait?
        </h4>
        <div className={styles.lanes}>
          {parts.slice(0, MAX_LANES).map(({ name, title }) => (
            <div key={name}>{title}</div>
          ))}
        </div>
      </div>
    </section>
  );
}

export function WorksheetPage({ scenario, lesson, machine, name, address }: SheetProps) {
  const items = worksheetItems(lesson);
  // What follows the first question in a lesson tells its answer; on paper nothing hides it.
  const firstAsked = lesson.steps.findIndex(({ question }) => question !== null) + 1;
  return (
    <Frame
      title={lesson.title}
      sub="Worksheet. Predict first, then look."
      foot={`${name}. Solutions are on a sheet of their own.`}
      hasFields
    >
      <p>{scenario.summary}</p>
      <Objectives lesson={lesson} />
      <Drawing machine={machine} />
      {items.map((item, at) => (
        <Item
          key={`${item.number} ${item.task ? 'task' : 'question'}`}
          item={item}
          number={at + 1}
          name={name}
          address={address(item.number)}
          hasText={firstAsked === 0 || item.number <= firstAsked}
        />
      ))}
      <Draw machine={machine} number={items.length + 1} />
    </Frame>
  );
}

type SolvedProps = SheetProps & { readonly solutions: Solutions };

export function SolutionsPage({ lesson, name, solutions }: SolvedProps) {
  return (
    <Frame title={lesson.title} sub="Solutions, from the runs of the lesson." foot={name}>
      {worksheetItems(lesson).map(({ number, question, task }, at) => (
        <section className={styles.item} key={`${number} ${task ? 'task' : 'question'}`}>
          <div>
            <h4>
              <b>{at + 1}</b>
              <Words inlines={question?.prompt ?? task?.inlines ?? []} />
            </h4>
            {question && (
              <Options
                question={question}
                name={name}
                right={solutions.right.get(question.id) ?? null}
              />
            )}
            <p>
              <Words inlines={question?.because ?? task?.because ?? []} />
            </p>
          </div>
        </section>
      ))}
    </Frame>
  );
}

const BAR = { width: 400, height: 18 };

/** The measures as bars on one scale. */
function Measures({ measures }: Pick<Solutions, 'measures'>) {
  const most = Math.max(...measures.map(({ value }) => value));
  return (
    <dl className={styles.measures} aria-label="Measures of the run, to scale">
      {measures.map(({ title, unit, value }) => {
        const text = significant(value, 4);
        return (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <SvgView
                width={BAR.width}
                height={BAR.height}
                fit="contain"
                preserveAspectRatio="none"
              >
                <ShapeView shapes={[rect(0, 0, (BAR.width * value) / most, BAR.height, 'inkf')]} />
              </SvgView>
              {text} {unitAfter(text, unit)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

export function CardPage({ scenario, lesson, machine, name, address, solutions }: SolvedProps) {
  const first = address(1);
  const last = lesson.steps.at(-1);
  const lists = last?.blocks.filter((block) => block.kind === 'list') ?? [];
  const asked = lesson.steps.flatMap(({ question }) => question ?? []);
  return (
    <Frame title={lesson.title} sub="Summary card" foot={name}>
      <p className={styles.lead}>{scenario.summary}</p>
      <Drawing machine={machine} />
      {solutions.measures.length > 0 && <Measures measures={solutions.measures} />}
      {asked.map((question) => {
        const id = solutions.right.get(question.id);
        const right = question.options.find((option) => option.id === id);
        return (
          <section className={styles.claim} key={question.id}>
            <p>
              <Words inlines={question.prompt} />{' '}
              {right && (
                <b>
                  <Words inlines={right.inlines} />
                </b>
              )}
            </p>
            <p>
              <Words inlines={question.because} />
            </p>
          </section>
        );
      })}
      <div className={styles.keep}>
        {last && !last.question && (
          <div>
            <h4>{last.title}</h4>
            <Prose blocks={lists.length > 0 ? lists : last.blocks} />
          </div>
        )}
        {first !== null && <QrCode address={first} leadsTo="open the lesson" />}
      </div>
    </Frame>
  );
}

/** For the lecturer: objectives, the belief that the run tests, and the notes on the steps. */
export function NotesPage({ lesson, name }: SheetProps) {
  const { belief, minutes } = listScenarios().find(({ id }) => id === name) ?? {};
  const noted = lesson.steps.map((step, at) => ({ step, number: at + 1 }));
  return (
    <Frame
      title={lesson.title}
      sub={
        minutes
          ? `Lecturer’s notes. The lesson takes ${count(minutes, 'minute')}.`
          : 'Lecturer’s notes'
      }
      foot={name}
    >
      <Objectives lesson={lesson} />
      {belief && (
        <p>
          Belief that the run puts to the test: <b>{belief}</b>.
        </p>
      )}
      {noted.map(({ step, number }) => (
        <section className={styles.note} key={number}>
          <h4>
            <b>{number}</b>
            {step.title}
          </h4>
          {step.question && (
            <p>
              Asks: <Words inlines={step.question.prompt} />
            </p>
          )}
          {step.task && (
            <p>
              Task: <Words inlines={step.task.inlines} />
            </p>
          )}
          <Prose blocks={step.notes} />
        </section>
      ))}
    </Frame>
  );
}
