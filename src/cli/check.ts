/** `busyard check`: compares runs with published figures. Exit code 1 if a row fails. */
import { createLocalEngine } from '../engine/inprocess';
import { lintExperiment } from '../model/lint/lint-experiment';
import { checkScenario } from '../model/report/check';
import { checkMarkdown } from '../model/report/check-markdown';
import { checkJson, checkJunit, checkPlain } from '../model/report/check-text';
import { totalsOf } from '../model/report/check-totals';
import type { CheckReport } from '../model/report/check-types';
import type { Scenario } from '../model/scenario/scenario-types';
import { listScenarios } from '../model/scenario/scenarios';
import { command, JSON_OPTION } from './arguments';
import { withFolders } from './folder';
import { readInput } from './input';
import { progress, warn, write } from './output';
import { Refusal } from './refusal';

const SPEC = {
  name: 'check',
  summary: 'Compares runs with published figures; exit code 1 if one fails.',
  takes: ['[FILES...]', 'scenarios and folders of them; default: all that are included'],
  options: {
    json: JSON_OPTION,
    junit: { help: 'write JUnit XML' },
    markdown: { help: 'write Markdown' },
  },
} as const;

/** Prints lint findings of the scenario's machines. The rows of a machine that does not compile fail anyway. */
function warnFindings(scenario: Scenario): void {
  for (const { message, setting } of lintExperiment(scenario))
    warn(`${scenario.id}: warning: ${setting ? `with ${setting}: ` : ''}${message}`);
}

export const check = command(SPEC, async (values, files) => {
  if (Object.values(values).length > 1)
    throw new Refusal('Choose one of --json, --junit and --markdown.');
  const paths = files.length > 0 ? files : listScenarios().map((entry) => entry.id);
  const scenarios = [];
  for (const file of withFolders(paths)) scenarios.push((await readInput(file)).scenario);
  const engine = await createLocalEngine();
  const reports: CheckReport[] = [];
  for (const scenario of scenarios) {
    warnFindings(scenario);
    if (scenario.expect.length === 0) {
      if (files.length > 0)
        warn(`${scenario.id}: it has no expected figures, so there is nothing to check.`);
      continue;
    }
    const report = await checkScenario(engine, scenario, progress(scenario.id));
    warn(`${scenario.id}: ${report.rows.length} figures compared, from ${report.runs} runs`);
    reports.push(report);
  }
  engine.dispose();
  const text = values.json
    ? checkJson
    : values.junit
      ? checkJunit
      : values.markdown
        ? checkMarkdown
        : checkPlain;
  await write([text(reports)]);
  return totalsOf(reports).failed > 0 ? 1 : 0;
});
