/** The text of a machine that is being built, as a file that can be changed part by part. */

import { readJson } from '../scenario/json-text';
import { type Result, success } from '../scenario/problems';
import { scenarioFile } from '../scenario/schema';
import { readShape } from '../scenario/shape-errors';
import type { BuildFile, BuildPart } from './build-types';

/** Null for a text that extends another machine: its parts are not all in it. */
export function readBuilt(text: string, name: string): Result<BuildFile | null> {
  const json = readJson(text, name);
  if (!json.ok) return json;
  const file = readShape(json.value, scenarioFile);
  if (!file.ok) return file;
  const { extends: base, parts = {}, wires = [] } = file.value.machine;
  const own = Object.entries(parts).filter(
    (entry): entry is [string, BuildPart] => entry[1]?.type !== undefined,
  );
  if (base !== undefined || own.length < Object.keys(parts).length) return success(null);
  return success({ ...file.value, machine: { parts: Object.fromEntries(own), wires } });
}
