/** The file edited in the builder: a scenario that contains all its parts and wires. */
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
