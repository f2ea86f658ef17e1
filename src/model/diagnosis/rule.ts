/**
 * Diagnosis rules and their interpreter. A rule names the events that it explains, queries the preceding trace, and
 * has sentences and suggested fixes. Names of events and parameters are typed by the manifests, so an unknown name
 * fails the type check.
 */
import { address, bytes, text, time } from '../../base/format';
import type { EventField, EventName, EventWord, ParamPath } from '../../engine/gen/names';
import type { Trace } from '../trace/trace';
import { changed, type Fix, type FixableRun } from './fixes';
import { field, type TraceEvent, type TraceQuery } from './trace-query';

export interface Diagnosis {
  readonly sentences: readonly string[];
  readonly fixes: readonly Fix[];
}

/** How times and writes are formatted: as times and write numbers, or as sandbox steps. */
export interface Wording {
  readonly at: (timePs: number) => string;
  readonly since: (timePs: number) => string;
  readonly write: (write: number) => string;
}

const PLAIN: Wording = {
  at: (timePs) => `at ${text(time(timePs))}`,
  since: (timePs) => `since ${text(time(timePs))}`,
  write: (write) => `write ${write}`,
};

export interface Run extends FixableRun {
  readonly wording?: Wording;
}

/** An event, and the results of a rule's queries. */
export interface Context {
  readonly run: Run;
  readonly trace: Trace;
  readonly past: TraceQuery;
  readonly event: TraceEvent;
  /** Events found, by query name. */
  readonly found: Readonly<Record<string, readonly TraceEvent[]>>;
}

/** The newest event with one of these names. */
interface LastEvent {
  readonly last: readonly EventWord[];
  /** In the same part as the event. */
  readonly here?: true;
  /** With the same values in these fields. */
  readonly same?: readonly EventField[];
  /** Before the event found by another query, if there is one. */
  readonly before?: string;
  readonly where?: (one: TraceEvent, context: Context) => boolean;
}

export type Query = LastEvent | ((context: Context) => readonly TraceEvent[]);

type Condition = (context: Context) => boolean;

/**
 * A sentence template with values in braces: `{write}` is a field of the event, `{load.block}` of an event found by
 * a query, also `{load.part}`, `{load.at}`, `{load.since}`, `{load.sentence}`, or a value of the rule.
 * `{wanted:write}` adds a format. The sentence is repeated for each event found and omitted if there is none; text
 * in square brackets is omitted separately.
 */
export type Sentence =
  | string
  | { readonly say: string; readonly if: Condition }
  | ((context: Context) => readonly string[])
  | Follow;

/** The diagnosis of an event found by a query. */
interface Follow {
  readonly follow: string;
}

/** Sets a parameter in each part of a type; `{part}` in the title is the part's title. */
interface ParamFix {
  readonly set: ParamPath;
  readonly to: string | boolean | number;
  readonly title: string;
  readonly if?: Condition;
}

export type FixRule = ParamFix | ((context: Context) => readonly Fix[]) | Follow;

export interface Rule {
  readonly events: readonly EventName[];
  /** Whether the event is a fault or a wait. */
  readonly is: 'wrong' | 'wait';
  readonly find?: Readonly<Record<string, Query>>;
  /** Queries that must find something; otherwise the event's next rule is tried. */
  readonly needs?: readonly string[];
  readonly if?: Condition;
  readonly values?: Readonly<Record<string, (context: Context) => string | null>>;
  readonly say: readonly Sentence[];
  readonly fixes?: readonly FixRule[];
}

export const has =
  (name: string): Condition =>
  ({ found }) =>
    (found[name]?.length ?? 0) > 0;

export const notHas =
  (name: string) =>
  (context: Context): boolean =>
    !has(name)(context);

/** Fixes that depend on the parameters of the machine's parts. */
export const ofParts =
  (fixes: (past: TraceQuery) => readonly Fix[]): FixRule =>
  ({ past }) =>
    fixes(past);

/** A time as text. */
export const span = (ps: number): string => text(time(ps));

function search(query: Query, context: Context): readonly TraceEvent[] {
  if (typeof query === 'function') return query(context);
  const { past, event, found } = context;
  const { last, here, same = [], before, where } = query;
  const one = past.last(
    (other) =>
      last.includes(other.event.name) &&
      (!here || other.part === event.part) &&
      same.every((name) => field(other, name) === field(event, name)) &&
      (where?.(other, context) ?? true),
    before === undefined ? undefined : found[before]?.[0]?.record.seq,
  );
  return one ? [one] : [];
}

const FORMATS: Readonly<Record<string, (value: number, wording: Wording) => string>> = {
  write: (value, wording) => wording.write(value),
  address: (value) => address(value),
  bytes: (value) => text(bytes(value)),
  time: (value) => text(time(value)),
};

/** The text of a value in braces; null if it is missing. */
function shownValue(
  one: TraceEvent,
  name: string,
  format: string | undefined,
  { past, run: { wording = PLAIN } }: Context,
): string | null {
  if (name === 'part') return one.part.title;
  if (name === 'at') return wording.at(one.record.timePs);
  if (name === 'since') return wording.since(one.record.timePs);
  if (name === 'sentence') return past.sentence(one);
  const value = field(one, name as EventField);
  if (value === null) return null;
  return format ? (FORMATS[format]?.(value, wording) ?? null) : String(value);
}

/** Placeholder: name of a query or "", field, and format. */
export const PLACEHOLDER = /\{(?:(\w+)\.)?(\w+)(?::(\w+))?\}/g;

function fill(template: string, rule: Rule, context: Context, current: TraceEvent | null) {
  let isWhole = true;
  const filled = template.replaceAll(
    PLACEHOLDER,
    (_, query: string | undefined, name: string, format: string | undefined) => {
      const made = query ? undefined : rule.values?.[name];
      const one = query ? (current ?? context.found[query]?.[0]) : context.event;
      const value = made ? made(context) : one ? shownValue(one, name, format, context) : null;
      if (value === null) isWhole = false;
      return value ?? '';
    },
  );
  return isWhole ? filled : null;
}

const capital = (sentence: string): string =>
  `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}`;

/** Fills a template once for each event that its first query found. */
function say(template: string, rule: Rule, context: Context): string[] {
  const query = /\{(\w+)\./.exec(template.replaceAll(/\[[^\]]*\]/g, ''))?.[1];
  const subjects = query ? (context.found[query] ?? []) : [null];
  return subjects.flatMap((current) => {
    const single = subjects.length > 1 ? current : null;
    const short = template.replaceAll(
      /\[([^\]]*)\]/g,
      (_, stretch: string) => fill(stretch, rule, context, single) ?? '',
    );
    const filled = fill(short, rule, context, single);
    return filled === null ? [] : [capital(filled)];
  });
}

/** Interpreter of one table of rules. */
export class Interpreter {
  private readonly byEvent = new Map<string, Rule[]>();

  constructor(rules: readonly Rule[]) {
    for (const rule of rules)
      for (const name of rule.events)
        this.byEvent.set(name, [...(this.byEvent.get(name) ?? []), rule]);
  }

  isWrong({ part, event }: TraceEvent): boolean {
    const rules = this.byEvent.get(`${part.type.name}.${event.name}`) ?? [];
    return rules.some((rule) => rule.is === 'wrong');
  }

  diagnose(run: Run, trace: Trace, past: TraceQuery, event: TraceEvent): Diagnosis | null {
    for (const rule of this.byEvent.get(`${event.part.type.name}.${event.event.name}`) ?? []) {
      const context = this.context(rule, { run, trace, past, event, found: {} });
      if (rule.needs?.some((name) => !has(name)(context)) || rule.if?.(context) === false) continue;
      const sentences = rule.say.flatMap((sentence) => this.sentences(sentence, rule, context));
      if (sentences.length === 0) continue;
      const fixes = (rule.fixes ?? []).flatMap((fix) => this.fixes(fix, context));
      return { sentences, fixes };
    }
    return null;
  }

  private context(rule: Rule, first: Context): Context {
    let context = first;
    for (const [name, query] of Object.entries(rule.find ?? {}))
      context = { ...context, found: { ...context.found, [name]: search(query, context) } };
    return context;
  }

  private followed({ follow }: Follow, { run, trace, past, found }: Context): Diagnosis | null {
    const [one] = found[follow] ?? [];
    return one ? this.diagnose(run, trace, past, one) : null;
  }

  private sentences(sentence: Sentence, rule: Rule, context: Context): readonly string[] {
    if (typeof sentence === 'string') return say(sentence, rule, context);
    if (typeof sentence === 'function') return sentence(context);
    if ('follow' in sentence) return this.followed(sentence, context)?.sentences ?? [];
    return sentence.if(context) ? say(sentence.say, rule, context) : [];
  }

  private fixes(fix: FixRule, context: Context): readonly Fix[] {
    if (typeof fix === 'function') return fix(context);
    if ('follow' in fix) return this.followed(fix, context)?.fixes ?? [];
    if (fix.if?.(context) === false) return [];
    return changed(context.past, fix.set, fix.to, fix.title);
  }
}
