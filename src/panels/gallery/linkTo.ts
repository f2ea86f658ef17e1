import { formatFragment } from '../../base/route';
import type { ScenarioEntry } from '../../model/scenario/scenarios';

/** The address of a scenario in the view it was made for. */
export const linkTo = ({ kind, id }: ScenarioEntry): string =>
  formatFragment({ view: kind, scenario: id, params: {} });
