/** Checks that sentences refer to existing fields. Names of events and parameters are checked by types. */
import { expect, test } from 'vitest';
import { PART_TYPES } from '../../engine/gen/layout';
import { PLACEHOLDER, type Rule } from './rule';
import { RULES } from './rules';

const OF_EVERY_EVENT = new Set(['part', 'at', 'since', 'sentence']);

const fieldsOf = (names: readonly string[]): Set<string> =>
  new Set(
    PART_TYPES.flatMap(({ name, events }) =>
      events
        .filter((event) => names.includes(event.name) || names.includes(`${name}.${event.name}`))
        .flatMap((event) => event.fields.map((field) => field.name)),
    ),
  );

/** Fields of the events found by a query; null for a function, which may find any event. */
function fieldsFound(rule: Rule, query: string): Set<string> | null {
  const found = rule.find?.[query];
  if (!found) throw new Error(`There is no query ${query}.`);
  return typeof found === 'function' ? null : fieldsOf(found.last);
}

const templatesOf = ({ say }: Rule): string[] =>
  say.flatMap((one) =>
    typeof one === 'string' ? [one] : typeof one === 'object' && 'say' in one ? [one.say] : [],
  );

test.each(RULES.map((rule) => [rule.events.join(', '), rule] as const))(
  'sentences of %s refer to queries and their fields',
  (_, rule) => {
    for (const template of templatesOf(rule))
      for (const [whole, query, name = ''] of template.matchAll(PLACEHOLDER)) {
        if (OF_EVERY_EVENT.has(name) || (!query && rule.values?.[name])) continue;
        const fields = query ? fieldsFound(rule, query) : fieldsOf(rule.events);
        if (fields) expect([...fields], `${whole} in: ${template}`).toContain(name);
      }
    for (const name of [...(rule.needs ?? [])]) expect(rule.find).toHaveProperty(name);
  },
);
