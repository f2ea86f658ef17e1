// Scenario files for the page: the gallery's entry of each, and the files published with the page for
// scenario authors.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parse } from 'jsonc-parser';
import { runnerImport } from 'vite';
import { root } from './lib.mjs';

const QUERY = '?entry';
const KEYS = ['title', 'summary', 'system', 'minutes', 'belief', 'order'];

/** Paragraphs of a lesson that begin with a question mark. */
const questionsIn = (text) => text.match(/^\? /gm)?.length ?? 0;

/**
 * `import entry from '.../x.json?entry'` is title, summary and similar data of a scenario file, so that the
 * first load does not contain the texts of all scenarios.
 */
export function scenarioEntries() {
  return {
    name: 'scenario-entries',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith(`.json${QUERY}`)) return null;
      const path = id.slice(0, -QUERY.length);
      this.addWatchFile(path);
      const file = parse(await readFile(path, 'utf8')) ?? {};
      const entry = Object.fromEntries(KEYS.map((key) => [key, file[key]]));
      const lesson = typeof file.lesson === 'string' ? join(dirname(path), file.lesson) : null;
      if (lesson) this.addWatchFile(lesson);
      const questions = lesson ? questionsIn(await readFile(lesson, 'utf8')) : 0;
      const crosses = file.experiment?.crossings?.length > 0 || undefined;
      const all = { ...entry, kind: file.view?.kind, questions, crosses };
      const code = `export default ${JSON.stringify(all)};`;
      return { code, moduleType: 'js' };
    },
  };
}

const WORDS = '?words';
const GLOSSARY = 'src/model/lesson/glossary.json';

const isTelling = (word) =>
  word.length > 2 && !/^(?:the|and|not|for|its|that|with|are|was|were|has|have|but)$/.test(word);

/**
 * Search words of a scenario: glossary terms in its lesson, link targets of the lesson, and the titles of
 * its values and results.
 */
function wordsOf(id, text, lesson, terms) {
  const prose = lesson.toLowerCase();
  const met = terms.filter(
    (term) => term.lesson === id || term.forms.some((form) => prose.includes(form.toLowerCase())),
  );
  const links = [...lesson.matchAll(/\]\((?:param|set|part):([\w.]+)/g)].map(([, to]) => to);
  const texts = [...text.matchAll(/"(?:title|because|text)": *"([^"]+)"/g)].map(
    ([, words]) => words,
  );
  const given = [...text.matchAll(/"([\w*]+\.\w+)"/g)].map(([, place]) => place);
  const all = [id, ...met.map(({ term }) => term), ...links, ...texts, ...given].join(' ');
  return [...new Set(all.toLowerCase().split(/[^\p{L}\p{N}/_-]+/u))].filter(isTelling).join(' ');
}

/** `import words from '.../x.json?words'` is the search text of a scenario beyond its title and summary. */
export function scenarioWords() {
  return {
    name: 'scenario-words',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith(`.json${WORDS}`)) return null;
      const path = id.slice(0, -WORDS.length);
      const text = await readFile(path, 'utf8');
      const file = parse(text) ?? {};
      const lesson = typeof file.lesson === 'string' ? join(dirname(path), file.lesson) : null;
      for (const read of [path, lesson ?? path, join(root, GLOSSARY)]) this.addWatchFile(read);
      const terms = JSON.parse(await readFile(join(root, GLOSSARY), 'utf8'));
      const scenario = relative(join(root, 'scenarios'), path).replace(/\.json$/, '');
      const words = wordsOf(scenario, text, lesson ? await readFile(lesson, 'utf8') : '', terms);
      return { code: `export default ${JSON.stringify(words)};`, moduleType: 'js' };
    },
  };
}

const model = (name) => runnerImport(join(root, 'src/model/scenario', name), { configFile: false });

/** Generated from the manifests at each build of the page: scenario-schema.json and parts.md. */
export function scenarioHelp() {
  return {
    name: 'scenario-help',
    apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    async generateBundle() {
      const schema = await model('json-schema.ts');
      const reference = await model('part-reference.ts');
      const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
      emit(
        'scenario-schema.json',
        `${JSON.stringify(schema.module.scenarioJsonSchema(), null, 1)}\n`,
      );
      emit('parts.md', reference.module.referenceMarkdown());
    },
  };
}
