// Scenario files and the page: what the gallery lists of each, and the files published beside the page
// for those who write scenarios.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { runnerImport } from 'vite';
import { root } from './lib.mjs';

const QUERY = '?entry';
const KEYS = ['title', 'summary', 'system', 'minutes', 'belief', 'order'];

/** Paragraphs of a lesson that begin with a question mark. */
const questionsIn = (text) => text.match(/^\? /gm)?.length ?? 0;

/**
 * `import entry from '.../x.json?entry'` is title, summary and the like of a scenario file, so that the
 * first load does not carry the texts of all scenarios.
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
      const code = `export default ${JSON.stringify({ ...entry, kind: file.view?.kind, questions })};`;
      return { code, moduleType: 'js' };
    },
  };
}

const model = (name) => runnerImport(join(root, 'src/model/scenario', name), { configFile: false });

/** Made from the manifests at each build of the page: scenario-schema.json and parts.md. */
export function scenarioHelp() {
  return {
    name: 'scenario-help',
    apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    async generateBundle() {
      const schema = await model('json-schema.ts');
      const reference = await model('reference.ts');
      const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
      emit(
        'scenario-schema.json',
        `${JSON.stringify(schema.module.scenarioJsonSchema(), null, 1)}\n`,
      );
      emit('parts.md', reference.module.referenceMarkdown());
    },
  };
}
