// Scenario files for the page: `import entry from '.../x.json?entry'` is what the gallery lists of a file
// (title, summary and the like), so that the first load does not carry the texts of all scenarios.
import { readFile } from 'node:fs/promises';
import { parse } from 'jsonc-parser';

const QUERY = '?entry';
const KEYS = ['title', 'summary', 'system', 'minutes', 'belief'];

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
      const code = `export default ${JSON.stringify({ ...entry, kind: file.view?.kind })};`;
      return { code, moduleType: 'js' };
    },
  };
}
