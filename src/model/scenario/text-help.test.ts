/** Completion and explanation in the text of a scenario. `|` is the cursor. */
import { describe, expect, test } from 'vitest';
import { explanationAt, helpAt } from './text-help';

const context = {
  typeOf: (name: string) => (name === 'inherited' ? 'pci' : null),
  sockets: ['cpu.bus', 'bridge.cpu'],
};

const at = (marked: string) => ({ text: marked.replace('|', ''), offset: marked.indexOf('|') });

function offered(marked: string) {
  const { text, offset } = at(marked);
  const found = helpAt(text, offset, context);
  return found && { ...found, names: found.options.map(({ name }) => name) };
}

/** The text after the option of this name was taken. */
function taken(marked: string, name: string): string | null {
  const found = offered(marked);
  const option = found?.options.find((one) => one.name === name);
  if (!found || !option) return null;
  const { text } = at(marked);
  return text.slice(0, found.from) + option.text + text.slice(found.to);
}

const part = (inner: string) => `{ "machine": { "parts": { "bus": { ${inner} } } } }`;

describe('keys', () => {
  test('of the file, without those that it has', () => {
    const { names } = offered('{ "busyard": 1, | }') ?? { names: [] };
    expect(names).toEqual(expect.arrayContaining(['title', 'machine', 'programs', 'workload']));
    expect(names).not.toContain('busyard');
  });

  test('are written with quotes and a colon, once', () => {
    expect(taken('{ ti| }', 'title')).toBe('{ "title":  }');
    expect(taken('{ "ti|" }', 'title')).toBe('{ "title":  }');
    expect(taken('{ "ti|": "x" }', 'title')).toBe('{ "title": "x" }');
  });

  test('replace nothing that follows a string that is not closed', () => {
    const open = '{ "ti|: "A word", "system": "x" }';
    expect(taken(open, 'title')).toBe('{ "title": "A word", "system": "x" }');
  });

  test('are the parameters of a part’s type, with units and reason', () => {
    const found = offered(part('"type": "pci", "params": { | }'));
    const clock = found?.options.find(({ name }) => name === 'clock');
    expect(clock?.info).toMatch(/Units: .*MHz/);
    expect(found?.names).not.toContain('posts');
  });

  test('are those of an inherited part, too', () => {
    const text =
      '{ "machine": { "extends": "x", "parts": { "inherited": { "params": { "c|" } } } } }';
    expect(offered(text)?.names).toContain('clock');
  });

  test('are the fields of a program’s row, among comments', () => {
    const text = `{ // mine
      "programs": { "main": [ { "do": "io_store", /* here */ | } ] } }`;
    expect(offered(text)?.names).toEqual(expect.arrayContaining(['to', 'count']));
  });
});

describe('values', () => {
  test('are part types with what they are', () => {
    const bus = offered(part('"type": "|"'))?.options.find(({ name }) => name === 'pci');
    expect(bus?.info).toMatch(/\w/);
    expect(taken(part('"type": "pc|"'), 'pci')).toBe(part('"type": "pci"'));
  });

  test('are the operations of programs, sockets of wires and programs of a workload', () => {
    expect(offered('{ "programs": { "main": [ { "do": "|" } ] } }')?.names).toContain('io_store');
    expect(offered('{ "machine": { "wires": [["|"]] } }')?.names).toEqual(context.sockets);
    expect(offered('{ "programs": { "both": [] }, "workload": { "cpu": | } }')?.names).toContain(
      'both',
    );
  });

  test('are not offered inside a free text', () => {
    expect(offered('{ "title": "A wo|rd" }')).toBeNull();
  });
});

describe('an explanation', () => {
  const explained = (marked: string) => {
    const { text, offset } = at(marked);
    const found = explanationAt(text, offset, context);
    return found && { about: text.slice(found.from, found.to), info: found.info };
  };

  test('of a parameter, of its part’s type, and of an operation', () => {
    const clock = explained(part('"type": "pci", "params": { "clo|ck": "33 MHz" }'));
    expect(clock?.about).toBe('"clock"');
    expect(clock?.info).toMatch(/Units: .*MHz/);
    expect(explained(part('"type": "pc|i"'))?.about).toBe('"pci"');
    expect(explained('{ "programs": { "main": [ { "do": "io_st|ore" } ] } }')?.info).toMatch(/\w/);
  });

  test('is not given where nothing stands', () => {
    expect(explained('{ "title": "x", | }')).toBeNull();
  });
});
