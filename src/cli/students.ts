/** The class list of a graded lab: a CSV file whose first column names the students. */
import { quote } from '../base/suggest';
import { readFile } from './files';
import { Refusal } from './refusal';

const CELL = /^\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))/;
const HEAD = /^(name|student|id|number|matriculation)\b/i;
/** A name becomes a file's name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ,'’._-]*$/u;

/**
 * A name as all files have it: some systems write an accent as a character of its own, and a browser that has
 * downloaded a file before adds "(1)".
 */
export const sameName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/ ?\(\d+\)$/, '')
    .trim();

/** @throws {Refusal} if there is no student, a name twice, or a name that cannot be a file's */
export function studentsIn(file: string): readonly string[] {
  const lines = readFile(file)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const students: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, quoted, plain = ''] = CELL.exec(line) ?? [];
    const name = (quoted?.replaceAll('""', '"') ?? plain).normalize('NFC').trim();
    if (name === '' || (students.length === 0 && index === 0 && HEAD.test(name))) continue;
    const where = `${file}:${index + 1}: `;
    if (!NAME.test(name))
      throw new Refusal(
        `${where}${quote(name)} cannot name a file: a name has letters, digits, spaces and . , _ - '.`,
      );
    if (students.some((other) => other.toLowerCase() === name.toLowerCase()))
      throw new Refusal(`${where}${quote(name)} is in the list twice.`);
    students.push(name);
  }
  if (students.length === 0) throw new Refusal(`${file} names no student in its first column.`);
  return students;
}
