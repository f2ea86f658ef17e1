import { expect, test, vi } from 'vitest';
import { CanvasLayer } from './CanvasLayer';
import type { Brush } from './CanvasView';

vi.stubGlobal('document', {
  createElement: () => ({ getContext: () => ({ setTransform: () => undefined }) }),
});

const brushOf = (more: Partial<Brush> = {}) => {
  const context = { canvas: { width: 200, height: 100 }, drawImage: vi.fn() };
  return { context, width: 100, height: 50, ratio: 2, color: String, ...more } as unknown as Brush;
};

test('a layer is painted once, and again when what it shows or the sheet changes', () => {
  const layer = new CanvasLayer();
  const paint = vi.fn();
  const brush = brushOf();
  for (const shown of ['one', 'one', 'other', 'other']) layer.draw(brush, [shown], paint);
  expect(paint).toHaveBeenCalledTimes(2);
  layer.draw(brushOf(), ['other'], paint);
  expect(paint).toHaveBeenCalledTimes(3);
  expect(brush.context.drawImage).toHaveBeenCalledTimes(4);
});

test('the layer is copied in the size of the sheet, whatever the screen', () => {
  const brush = brushOf();
  new CanvasLayer().draw(brush, [], () => undefined);
  expect(brush.context.drawImage).toHaveBeenCalledWith(expect.anything(), 0, 0, 100, 50);
});

test('a picture for a file has no layers', () => {
  const brush = brushOf({ path: () => ({}) as Path2D });
  const paint = vi.fn();
  new CanvasLayer().draw(brush, [], paint);
  expect(paint).toHaveBeenCalledWith(brush);
});
