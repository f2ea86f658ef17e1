import { expect, test } from 'vitest';
import { layoutMachine } from './layout';
import { BUS, CARD, MACHINE } from './machine.fixture';
import { socketAt, socketPath, socketsOf } from './sockets';
import type { DrawnMachine } from './types';

const layout = layoutMachine(MACHINE);

/** The same machine without the wires of a part. */
const without = (part: number): DrawnMachine => ({
  ...MACHINE,
  wires: MACHINE.wires.filter(({ ends }) => ends.every((end) => end.part !== part)),
});

const boxOf = (part: number) => {
  const found = layout.parts.find(({ index }) => index === part)?.box;
  if (!found) throw new Error('not drawn');
  return found;
};

test('the ends of a wire are where it meets its parts', () => {
  const taken = socketsOf(MACHINE, layout).filter(({ isTaken }) => isTaken);
  expect(taken).toHaveLength(2 * layout.wires.length);
  for (const { part, x, y } of taken) {
    const box = boxOf(part);
    const onEdge =
      [box.x, box.x + box.width].some((edge) => Math.abs(edge - x) < 1) ||
      [box.y, box.y + box.height].some((edge) => Math.abs(edge - y) < 1);
    expect(onEdge).toBe(true);
  }
});

test('a part without wires shows its sockets, and its bus one more', () => {
  const free = (machine: DrawnMachine, part: number) =>
    socketsOf(machine, layoutMachine(machine)).filter((one) => one.part === part && !one.isTaken);
  const bare = without(CARD);
  const required = MACHINE.parts[CARD]?.type.ports.filter((port) => port.required) ?? [];
  expect(required.length).toBeGreaterThan(0);
  const names = free(bare, CARD).map(({ port }) => port.name);
  expect(names).toEqual(expect.arrayContaining(required.map(({ name }) => name)));
  expect(free(bare, BUS).length).toBe(free(MACHINE, BUS).length + 1);
});

test('sockets do not overlap, and each is found under the pointer', () => {
  const sockets = socketsOf(without(CARD), layoutMachine(without(CARD)));
  for (const one of sockets.filter(({ isTaken }) => !isTaken)) {
    expect(socketAt(sockets, one.x + 2, one.y - 2)).toBe(one);
    expect(socketPath(one)).toMatch(/^M.*z$/);
  }
  expect(socketAt(sockets, -100, -100)).toBeNull();
});
