/** Machines to start from in the builder: small ones that run, each with a program. */
import { fetched } from '../../base/retry-import';
import { type Result, success } from '../scenario/problems';
import { readText } from '../scenario/scenarios';
import { fileOf, fileText } from './build-file';

export interface Template {
  readonly title: string;
  /**
   * The text of a scenario that contains all its parts and wires.
   * @throws {Error} if its file cannot be fetched
   */
  text(): Promise<Result<string>>;
}

interface Entry {
  readonly title: string;
  readonly order: number;
}

const entries = import.meta.glob<Entry>('./templates/*.json', {
  query: '?entry',
  import: 'default',
  eager: true,
});
const texts = import.meta.glob<string>('./templates/*.json', { query: '?raw', import: 'default' });

async function read(path: string): Promise<Result<string>> {
  const load = texts[path];
  if (!load) throw new Error(`There is no template ${path}.`);
  const found = await readText(await fetched(load), path);
  return found.ok ? success(fileText(fileOf(found.value, {}, {}))) : found;
}

export const TEMPLATES: readonly Template[] = Object.entries(entries)
  .sort(([, a], [, b]) => a.order - b.order)
  .map(([path, { title }]) => ({ title, text: () => read(path) }));
