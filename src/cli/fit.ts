/** `busyard fit`: fits the constants of a machine to a table of gttp. */
import { quote } from '../base/suggest';
import { parseGttp } from '../model/scenario/gttp-import';
import { refit } from '../model/sweep/refit';
import { refitText } from '../model/sweep/refit-text';
import { command, JSON_OPTION, RUN_OPTIONS } from './arguments';
import { readFile } from './files';
import { changesOf, machineOf, readInput } from './input';
import { counting, write, writeJson } from './output';
import { Refusal, refusalOf } from './refusal';
import { createEngines, JOBS_OPTION, jobsOf } from './threads';

const { until: _, ...CHANGES } = RUN_OPTIONS;
const SPEC = {
  name: 'fit',
  summary: "Fits the constants of a machine to one's own gttp table, by least squares.",
  takes: [
    '<FILES...>',
    'a scenario, such as gt/crossover, and the table: text of gttp -GA, or CSV',
  ],
  more: `Every third row of a column is held out. The result names the rows that were used, the error of those held out, and
each constant before and after. Rows with a known miss are left out; thresholds and sizes are kept.`,
  options: { ...CHANGES, jobs: JOBS_OPTION, json: JSON_OPTION },
} as const;

export const fit = command(SPEC, async (values, files) => {
  const [file = '', tableFile, more] = files;
  if (tableFile === undefined)
    throw new Refusal('A fit takes a scenario and a table: busyard fit gt/crossover gttp.txt.');
  if (more !== undefined) throw new Refusal(`${quote(more)} is a second table; a fit takes one.`);
  const input = await readInput(file);
  const table = parseGttp(readFile(tableFile), tableFile);
  if (!table.ok) throw refusalOf(table.problems);
  const machine = machineOf(input, values, 0);
  const engines = await createEngines(jobsOf(values.jobs));
  const report = counting();
  try {
    const found = await refit(
      engines,
      { ...changesOf(input, values), scenario: input.scenario, machine, table: table.value },
      (runs) => report(`${runs} runs`),
    );
    report(null);
    if (values.json) await writeJson(found);
    else await write([refitText(found)]);
  } catch (error) {
    throw error instanceof RangeError ? new Refusal(`${tableFile}: ${error.message}`) : error;
  } finally {
    for (const engine of engines) engine.dispose();
  }
  return 0;
});
