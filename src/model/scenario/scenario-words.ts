/**
 * What shipped scenarios can be found by beyond their titles and summaries: the words of the field that their
 * lessons use, and the parameters, parts and results that they speak of. Only who searches needs them.
 */
import { idOf } from './scenarios';

const words = import.meta.glob<string>(['/scenarios/*/*.json', '!/scenarios/machines/*.json'], {
  query: '?words',
  import: 'default',
  eager: true,
});

const known = new Map(Object.entries(words).map(([path, found]) => [idOf(path), found]));

export const wordsOfScenario = (id: string): string => known.get(id) ?? '';
