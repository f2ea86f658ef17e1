import { formatFragment } from '../../base/route';
import type { ScenarioEntry } from '../../model/scenario/scenarios';

/** The address of a scenario in its default view. */
export const linkTo = ({ kind, id }: ScenarioEntry): string =>
  formatFragment({ view: kind, scenario: id, params: {} });
