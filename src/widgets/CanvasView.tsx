import { type CanvasHTMLAttributes, useEffect, useRef } from 'react';
import { loop } from '../base/loop';
import { shell } from '../base/shell-state';
import { watch } from '../base/store';
import styles from './CanvasView.module.css';

/** What a painter gets: sizes in CSS pixels (the context is scaled to the device), colours of the theme. */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** Value of a token: `color('--line-2')`. */
  color(token: string): string;
}

interface CanvasViewProps extends CanvasHTMLAttributes<HTMLCanvasElement> {
  /** What the picture shows; its text twin says the rest. */
  readonly label: string;
  paint(brush: Brush): void;
  /** Gives the owner a function that asks for a repaint in the next frame. */
  onReady?(repaint: () => void): void;
}

/**
 * A canvas that fills its box, in device pixels, and paints in the canvas phase of the frame loop: after
 * a change of size, of theme or of `paint`, and whenever its owner asks.
 */
export function CanvasView({ label, paint, onReady, className, ...rest }: CanvasViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef(paint);
  const repaint = useRef<() => void>(() => {});
  const ready = useRef(onReady);
  ready.current = onReady;

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    let alive = true;
    let brush: Brush | null = null;
    const draw = () => {
      if (!alive) return;
      brush ??= brushFor(element, context);
      clear(brush);
      painter.current(brush);
    };
    repaint.current = () => loop.once('canvas', draw);
    const renew = () => {
      brush = null;
      repaint.current();
    };
    const sizes = new ResizeObserver(renew);
    sizes.observe(element);
    const stop = watch(shell, (state) => state.theme + state.lecture, renew);
    ready.current?.(repaint.current);
    return () => {
      alive = false;
      sizes.disconnect();
      stop();
    };
  }, []);

  useEffect(() => {
    painter.current = paint;
    repaint.current();
  }, [paint]);

  return (
    <canvas
      {...rest}
      ref={canvas}
      className={`${styles.canvas} ${className ?? ''}`}
      role="img"
      aria-label={label}
    />
  );
}

/** Sizes and colours are read once: asking for them in each frame would lay the page out anew. */
function brushFor(element: HTMLCanvasElement, context: CanvasRenderingContext2D): Brush {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = element;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== across || element.height !== down) {
    element.width = across;
    element.height = down;
  }
  const tokens = getComputedStyle(element);
  const known = new Map<string, string>();
  const color = (token: string): string => {
    const value = known.get(token) ?? tokens.getPropertyValue(token).trim();
    known.set(token, value);
    return value;
  };
  return { context, width, height, ratio, color };
}

function clear({ context, width, height, ratio }: Brush): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
}
