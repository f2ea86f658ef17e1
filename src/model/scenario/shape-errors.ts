/** Checks a text against a schema and reports errors as sentences with their position. */
import type { z } from 'zod';
import { count } from '../../base/format';
import { hint, quote } from '../../base/suggest';
import type { JsonText, Path } from './json-text';
import { FORMAT_VERSION } from './limits';
import { failure, gather, type Report, type Result, success } from './problems';

type Issue = z.core.$ZodIssue;

/** Converts a file from one format version to the next. */
type Migration = (file: Record<string, unknown>) => Record<string, unknown>;
const MIGRATIONS: Readonly<Record<number, Migration>> = {};

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
};

const isAbsent = (root: unknown, path: Path): boolean => {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<string | number, unknown>)[key];
  }
  return false;
};

type Length = Extract<Issue, { code: 'too_small' | 'too_big' }>;

function lengthOf(issue: Length): string {
  const [bound, length] =
    issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum];
  return `${bound} ${count(Number(length), 'entry', 'entries')}`;
}

function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `This should be ${KINDS[issue.expected] ?? issue.expected}.`;
    case 'invalid_value': {
      const written = issue.input === undefined ? '' : `; this is ${quote(issue.input)}`;
      return `This should be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}${written}.`;
    }
    case 'too_small':
      if (issue.origin === 'array') return `This list should have ${lengthOf(issue)}.`;
      return `This should be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}.`;
    case 'too_big':
      return issue.origin === 'string'
        ? `This text is longer than ${issue.maximum} characters.`
        : issue.origin === 'array'
          ? `This list should have ${lengthOf(issue)}.`
          : `This should be at most ${issue.maximum}.`;
    default:
      return issue.message.endsWith('.') ? issue.message : `${issue.message}.`;
  }
}

/** Zod's own messages start like "Too small: expected ..."; ours are whole sentences. */
const isOwn = (message: string) => /[.?]$/.test(message) && !message.includes('expected');

/** Whether a value has a different kind from every kind that this branch of a union allows. */
const isOfOtherKind = (branch: readonly Issue[]): boolean =>
  branch.some(
    (at) =>
      at.path.length === 0 &&
      (at.code === 'invalid_type' ||
        (at.code === 'invalid_union' && at.errors.length > 0 && at.errors.every(isOfOtherKind))),
  );

const hasForeignKeys = (branch: readonly Issue[]): boolean =>
  branch.some((at) => at.path.length === 0 && at.code === 'unrecognized_keys');

/** The branch of a union that was probably meant: its kind fits the value, and so do its keys. */
function meant(issue: Issue): readonly Issue[] | null {
  if (issue.code !== 'invalid_union') return null;
  const fits = issue.errors.filter((branch) => !isOfOtherKind(branch));
  const [only, ...others] =
    fits.length > 1 ? fits.filter((branch) => !hasForeignKeys(branch)) : fits;
  return only && others.length === 0 ? only : null;
}

function explain(json: JsonText, issue: Issue, before: Path, report: Report): void {
  const path = [...before, ...issue.path.map((key) => (typeof key === 'symbol' ? '' : key))];
  const branch = meant(issue);
  if (branch) {
    for (const inner of branch) explain(json, inner, path, report);
  } else if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ');
    for (const key of issue.keys)
      report(
        json.problem([...path, key], `There is no key ${quote(key)} here${hint(key, known)}`, true),
      );
  } else if (issue.code === 'invalid_key') {
    const [inner] = issue.issues;
    report(json.problem(path, inner ? sentenceOf(inner) : 'This name is not allowed.', true));
  } else if (isAbsent(json.value, path)) {
    report(json.problem(path, `${quote(path.at(-1) ?? '')} is missing.`));
  } else {
    report(json.problem(path, isOwn(issue.message) ? issue.message : sentenceOf(issue)));
  }
}

/** The file in the present format, or an error about its version. */
function migrated(json: JsonText): Result<unknown> {
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failure([json.problem([], 'A file of this program is an object in braces.')]);
  let file = value as Record<string, unknown>;
  if (!Object.hasOwn(file, 'busyard')) {
    const near = hint('busyard', Object.keys(file));
    const help = near.startsWith(';') ? near : `, such as "busyard": ${FORMAT_VERSION}.`;
    return failure([json.problem([], `The file has no format version${help}`)]);
  }
  const version = file.busyard;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    return failure([json.problem(['busyard'], 'A format version is a whole number from 1.')]);
  if (version > FORMAT_VERSION) {
    const message = `This file has format version ${version}; this program reads up to ${FORMAT_VERSION}.`;
    return failure([json.problem(['busyard'], message)]);
  }
  for (let from = version; from < FORMAT_VERSION; from++) {
    const step = MIGRATIONS[from];
    if (step) file = step(file);
  }
  return success(file);
}

export function readShape<S extends z.ZodType>(json: JsonText, shape: S): Result<z.infer<S>> {
  const file = migrated(json);
  return file.ok ? checkedAs(json, file.value, shape) : file;
}

/** The value of the text, if it matches the schema. */
export function checkedAs<S extends z.ZodType>(
  json: JsonText,
  value: unknown,
  shape: S,
): Result<z.infer<S>> {
  const parsed = shape.safeParse(value, { reportInput: true });
  if (parsed.success) return success(parsed.data);
  const { issues } = parsed.error;
  return gather((report) => {
    for (const issue of issues) explain(json, issue, [], report);
    return parsed.data as z.infer<S>;
  });
}
