import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { Rect } from '../../base/geometry';
import { loop } from '../../base/loop';
import { useFrames } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { leaderLines } from '../../draw/leader-lines';
import type { Marked } from '../../draw/sentence-marks';
import { polyline } from '../../draw/shape';
import { player } from '../../model/session/open-run';
import styles from './Caption.module.css';

const SVG = 'http://www.w3.org/2000/svg';

const rectOf = (element: Element): Rect => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
};

const isOn = ({ x, y, width, height }: Rect, { y: top, height: tall }: Rect): boolean =>
  width > 0 && y >= top - 4 && y + height <= top + tall + 4 && x >= 0;

/** The box of a part in the drawing: its first rectangle. */
function boxOf(drawing: Element, part: number): Rect | null {
  const box = drawing.querySelector(`[data-part="${part}"] rect`);
  return box && rectOf(box);
}

/** The place of what words stand for; null where it is not drawn. */
function placeOf(drawing: Element, marked: Marked): Rect | null {
  const shown = (cls: string) =>
    [...drawing.querySelectorAll(`.${cls}`)].map(rectOf).filter(({ width }) => width > 0);
  if (marked.kind === 'part') return boxOf(drawing, marked.part);
  if (marked.kind === 'cell') return shown('mini-played')[0] ?? null;
  const bus = boxOf(drawing, marked.bus);
  return (bus && shown('packet').find((packet) => isOn(packet, bus))) ?? null;
}

/** Parts, words and buses that lines keep off. */
function surroundings(drawing: Element, caption: Element | null, buses: readonly number[]) {
  const parts = [...drawing.querySelectorAll('[data-part]')].map((element) => ({
    isBus: buses.includes(Number(element.getAttribute('data-part'))),
    box: rectOf(element.querySelector('rect') ?? element),
  }));
  const words = [
    ...[...drawing.querySelectorAll('text')].filter((text) => text.textContent),
    ...(caption?.querySelectorAll('[data-words]') ?? []),
    // Other panels, as the lesson beside the drawing, are full of words.
    ...[...document.querySelectorAll('main section')].filter(
      (panel) => !panel.contains(drawing) && !panel.contains(caption),
    ),
  ];
  return {
    sheet: rectOf(drawing),
    parts: parts.filter(({ isBus }) => !isBus).map(({ box }) => box),
    buses: parts.filter(({ isBus }) => isBus).map(({ box }) => box),
    words: words.map(rectOf),
  };
}

/** Ring around a packet or a cell, in pixels outside of it. */
const RING = 4;

interface LeaderLinesProps {
  /** Holds the words: elements with `data-mark`, the index of what they stand for. */
  readonly sentence: RefObject<HTMLElement | null>;
  readonly marks: readonly Marked[];
  readonly buses: readonly number[];
}

/** Lines from the words of the sentence to what they stand for. There are none while the run plays. */
export function LeaderLines({ sentence, marks, buses }: LeaderLinesProps) {
  const layer = useRef<SVGSVGElement>(null);
  const drawn = useRef('');
  const isMoving = useStore(player.state, ({ playing, stepping }) => playing || stepping);
  const draw = useCallback(() => {
    const drawing = document.querySelector('[data-machine] svg');
    const caption = sentence.current?.closest('[data-caption]') ?? null;
    const pairs = marks.flatMap((marked, index) => {
      const words = sentence.current?.querySelector(`[data-mark="${index}"]`);
      const from = words?.getClientRects()[0];
      const to = drawing && !isMoving ? placeOf(drawing, marked) : null;
      return from && to ? [{ from: from as Rect, to, marked }] : [];
    });
    const lines = drawing ? leaderLines(pairs, surroundings(drawing, caption, buses)) : [];
    const key = JSON.stringify([lines, pairs]);
    if (key === drawn.current) return;
    drawn.current = key;
    const shapes = pairs.flatMap(({ to, marked }, index) => {
      const line = lines[index] ?? [];
      const make = (tag: string, attributes: Readonly<Record<string, string | number>>) => {
        const element = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes))
          element.setAttribute(name, String(value));
        return element;
      };
      const d = polyline(line, false);
      const [cx = 0, cy = 0] = line.slice(-2);
      const ring = {
        x: to.x - RING,
        y: to.y - RING,
        width: to.width + 2 * RING,
        height: to.height + 2 * RING,
      };
      return [
        ...(marked.kind === 'part' ? [] : [make('rect', ring)]),
        make('path', { d, 'data-under': '' }),
        make('path', { d }),
        make('circle', { cx, cy, r: 5 }),
      ];
    });
    layer.current?.replaceChildren(...shapes);
  }, [sentence, marks, buses, isMoving]);
  const ask = useCallback(() => loop.once('canvas', draw), [draw]);
  useFrames('canvas', draw);
  useEffect(() => {
    ask();
    window.addEventListener('resize', ask);
    const timer = setTimeout(ask, 300);
    return () => {
      window.removeEventListener('resize', ask);
      clearTimeout(timer);
    };
  }, [ask]);
  return <svg ref={layer} className={styles.leaders} data-leaders aria-hidden="true" />;
}
