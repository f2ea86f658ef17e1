/**
 * Additional search terms of the included scenarios: terms of the field in their lessons, and the names of their
 * parameters, parts and metrics. Loaded by the search only.
 */
import { idOf } from './scenarios';

const words = import.meta.glob<string>(['/scenarios/*/*.json', '!/scenarios/machines/*.json'], {
  query: '?words',
  import: 'default',
  eager: true,
});

const known = new Map(Object.entries(words).map(([path, found]) => [idOf(path), found]));

export const wordsOfScenario = (id: string): string => known.get(id) ?? '';
