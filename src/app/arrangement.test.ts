import { describe, expect, test } from 'vitest';
import { GALLERY } from '../base/route';
import { createStore } from '../base/store';
import type { PanelDefinition } from '../widgets/panels';
import { layoutFor } from './layout';
import { pageTitleFor } from './page-title';
import { inOrder, panelsIn, sideBySide } from './panel-order';

const component = () => null;
const panel = (id: string, more: Partial<PanelDefinition>): PanelDefinition => ({
  id,
  title: id,
  view: 'machine',
  slot: 'centre',
  component,
  ...more,
});

describe('the panels of a view', () => {
  const something = createStore(false);
  const all = inOrder([
    panel('inspector', { slot: 'right', key: '5' }),
    panel('lanes', { slot: 'dock', mode: 'work' }),
    panel('caption', { slot: 'dock', mode: 'lecture' }),
    panel('overview', { slot: 'dock', mode: 'always', order: 1 }),
    panel('machine', { key: '2' }),
    panel('lesson', { slot: 'left', key: '1', shown: something }),
    panel('chart', { view: 'lab' }),
  ]);
  const ids = (lecture: boolean) => panelsIn(all, 'machine', lecture).map(({ id }) => id);

  test('are ordered by their keys, and shown only if they have contents', () => {
    expect(ids(false)).toEqual(['overview', 'machine', 'inspector', 'lanes']);
    something.setState(true, true);
    expect(ids(false)).toEqual(['lesson', 'overview', 'machine', 'inspector', 'lanes']);
  });

  test('below the first share two places: one per digit, and one for the rest', () => {
    const cells = (...keys: string[]) =>
      sideBySide(keys.map((key, i) => panel(`${key}${'abcd'[i]}`, { key }))).map((cell) =>
        cell.map(({ id }) => id).join(' '),
      );
    expect(cells('3', '3')).toEqual(['3a', '3b']);
    expect(cells('3', '3', '4', '4')).toEqual(['3a 3b', '4c 4d']);
    expect(cells('3', '4', '5')).toEqual(['3a', '4b 5c']);
  });

  test('on the projector are the evidence, the caption and those shown in every mode', () => {
    expect(ids(true)).toEqual(['overview', 'machine', 'caption']);
  });

  test('of another view are not among them', () => {
    expect(panelsIn(all, 'lab', false).map(({ id }) => id)).toEqual(['chart']);
  });
});

describe('the layout follows the window', () => {
  test.each([
    [390, 844, 'phone'],
    [599, 900, 'phone'],
    [600, 900, 'stacked'],
    [1024, 768, 'drawer'],
    [1280, 800, 'columns'],
    [1440, 900, 'columns'],
    [1920, 1080, 'columns'],
  ])('%i x %i: %s', (width, height, kind) => {
    expect(layoutFor(width, height, 'machine').kind).toBe(kind);
  });

  test('columns have their designed widths, and more on a large screen', () => {
    expect(layoutFor(1440, 900, 'lab')).toMatchObject({ left: 288, right: 336 });
    expect(layoutFor(1440, 900, 'machine')).toMatchObject({ left: 288, right: 292 });
    expect(layoutFor(1720, 900, 'machine')).toMatchObject({ left: 336, right: 340 });
    expect(layoutFor(1440, 740, 'machine').low).toBe(true);
    expect(layoutFor(1100, 760, 'machine').low).toBe(true);
  });
});

describe('the heading', () => {
  const open = {
    title: 'Where is the crossover?',
    system: 'SCRAMNet GT',
    kind: 'lab' as const,
    changes: 1,
    own: true,
    canUndo: true,
    canRedo: false,
    revision: 1,
    opened: 1,
  };

  test('counts the changes since calibration', () => {
    expect(pageTitleFor({ view: 'lab', params: {} }, open, null)).toEqual({
      system: 'SCRAMNet GT',
      title: 'Where is the crossover?',
      note: '1\u00a0change since calibration',
    });
    const untouched = { ...open, changes: 0 };
    expect(pageTitleFor({ view: 'lab', params: {} }, untouched, null).note).toBeNull();
  });

  test('of the gallery does not mention the open session', () => {
    expect(pageTitleFor(GALLERY, open, null)).toEqual({
      system: null,
      title: 'Gallery',
      note: null,
    });
  });
});
