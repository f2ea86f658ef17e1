// The order of the unit test files, and how long a file is assumed to take that has not been measured yet.
import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

/** Whether a test file goes through all scenarios, which takes longest however short its text is. */
export const isOfAllScenarios = (text) => /\b(SCENARIOS|listScenarios)\b/.test(text);

/** Files of the last project are short: they fill what the others leave idle at the end. */
const PROJECTS = ['all views', 'plain', 'page'];

/** Starts with the files that take longest, so that no core waits for one of them at the end. */
export class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const rank = ({ project, moduleId }) =>
      2 * PROJECTS.indexOf(project.name) +
      (isOfAllScenarios(readFileSync(moduleId, 'utf8')) ? 0 : 1);
    const ranks = new Map(specifications.map((one) => [one, rank(one)]));
    const sorted = await super.sort(specifications);
    return sorted.sort((one, other) => ranks.get(one) - ranks.get(other));
  }
}
