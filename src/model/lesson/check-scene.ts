/** Checks what a step shows: its parts exist, its times are within the run, and its panel is one of the page. */
import { hint, quote } from '../../base/suggest';
import { partNamed } from '../scenario/compiled';
import { type Checked, inMicroseconds, missed } from './check-context';
import type { Piece } from './lesson';
import { PANEL_NAMES } from './panel-names';

export function checkScene({ isScene, scene, lines, line }: Piece, checked: Checked): void {
  const { machine, run, tell } = checked;
  if (!isScene) return;
  if (!scene) {
    tell(
      line,
      `${quote(lines.join(' '))} is no scene; write a time, parts, an interval and a panel: "@ 15.2 us cpu zoom 0 us..20 us panel why".`,
    );
    return;
  }
  const names = machine.parts.map(({ name }) => name);
  for (const part of scene.parts)
    if (!partNamed(machine, part))
      tell(line, `There is no part ${quote(part)}${hint(part, names)}`);
  const near = run.near(scene.timePs);
  if (near.before !== scene.timePs) tell(line, missed(inMicroseconds(scene.timePs), near));
  const [from, to] = scene.zoom ?? [0, run.endPs];
  if (from >= to || to > run.endPs)
    tell(
      line,
      `The interval ${inMicroseconds(from)} to ${inMicroseconds(to)} is not within the run, which ends at ${inMicroseconds(run.endPs)}.`,
    );
  if (scene.panel !== null && !PANEL_NAMES.includes(scene.panel))
    tell(line, `There is no panel ${quote(scene.panel)}${hint(scene.panel, PANEL_NAMES)}`);
}
