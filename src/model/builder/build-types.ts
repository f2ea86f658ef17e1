/** The file that the builder edits: a scenario whose parts and wires all stand in it. */
import type { PartFile, ScenarioFile } from '../scenario/schema';

export interface BuildPart extends PartFile {
  readonly type: string;
}

export interface BuildFile extends ScenarioFile {
  readonly machine: {
    readonly parts: Record<string, BuildPart>;
    readonly wires: [string, string][];
  };
}
