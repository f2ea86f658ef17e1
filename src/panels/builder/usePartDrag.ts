/** Dragging a kind of part from the palette onto the drawing. Without travel it is a press, which adds it as well. */
import { type MouseEvent, type PointerEvent, useRef } from 'react';
import { add } from './state';

const SLOP_PX = 6;

/** A point of the window on the sheet of the drawing; null where it cannot take a part at a place. */
function onSheet(drop: Element, x: number, y: number): readonly [number, number] | null {
  const svg = drop.querySelector('svg');
  const drawn = svg?.getBoundingClientRect();
  const [, , width = 0, height = 0] = svg?.getAttribute('viewBox')?.split(' ').map(Number) ?? [];
  if (!drawn?.width || !drawn.height || drop.getAttribute('data-drop') === 'anywhere') return null;
  return [((x - drawn.x) / drawn.width) * width, ((y - drawn.y) / drawn.height) * height];
}

const dropAt = (x: number, y: number): Element | null =>
  document.elementFromPoint(x, y)?.closest('[data-drop]') ?? null;

/** Handlers of a button of the palette. A finger scrolls the list, so it adds by a press. */
export function usePartDrag(typeName: string) {
  const hasMoved = useRef(false);
  const onPointerDown = (down: PointerEvent<HTMLElement>): void => {
    hasMoved.current = false;
    if (down.button !== 0 || down.pointerType === 'touch') return;
    const button = down.currentTarget;
    let ghost: HTMLElement | null = null;
    let over: Element | null = null;
    const mark = (drop: Element | null) => {
      if (drop === over) return;
      over?.removeAttribute('data-dropping');
      drop?.setAttribute('data-dropping', '');
      over = drop;
    };
    const move = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const far = Math.hypot(clientX - down.clientX, clientY - down.clientY);
      if (!ghost && far < SLOP_PX) return;
      if (!ghost) {
        hasMoved.current = true;
        ghost = document.createElement('div');
        ghost.className = 'dragged-part';
        ghost.setAttribute('aria-hidden', 'true');
        ghost.textContent = button.querySelector('span')?.textContent ?? '';
        document.body.append(ghost);
      }
      ghost.style.translate = `${clientX + 8}px ${clientY + 8}px`;
      mark(dropAt(clientX, clientY));
    };
    const end = (drop: Element | null, x = 0, y = 0) => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', cancel);
      window.removeEventListener('keydown', onEscape, true);
      ghost?.remove();
      mark(null);
      if (ghost && drop) add(typeName, onSheet(drop, x, y));
    };
    const up = ({ clientX, clientY }: globalThis.PointerEvent) =>
      end(dropAt(clientX, clientY), clientX, clientY);
    const cancel = () => end(null);
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      end(null);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', cancel);
    window.addEventListener('keydown', onEscape, true);
  };
  /** A drag ends with a click on the same button, which adds nothing. */
  const onClick = (event: MouseEvent): void => {
    if (hasMoved.current && event.detail > 0) return;
    add(typeName);
  };
  return { onPointerDown, onClick };
}
