import { type CanvasHTMLAttributes, useEffect, useRef } from 'react';
import { loop } from '../base/loop';
import { shell } from '../base/shell-state';
import { watch } from '../base/store';
import styles from './CanvasView.module.css';

/**
 * Passed to a painter. Sizes are CSS pixels (the context is scaled to device pixels); colours are the
 * theme's.
 */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** Value of a design token: `color('--line-2')`. */
  color(token: string): string;
  /** A path from its data, and the fill of a hatch, if the context is not that of a canvas. */
  path?(data: string): Path2D;
  hatch?(stroke: string, ground: string): string;
}

type Paint = (brush: Brush) => void;
const painters = new WeakMap<HTMLCanvasElement, Paint>();

/** What paints a canvas of the page. */
export const painterOf = (canvas: HTMLCanvasElement): Paint | undefined => painters.get(canvas);

interface CanvasViewProps extends CanvasHTMLAttributes<HTMLCanvasElement> {
  /** What the picture shows, in short; its text alternative has the details. */
  readonly label: string;
  paint(brush: Brush): void;
  /** Receives a function that requests a repaint in the next frame. */
  onReady?(repaint: () => void): void;
}

/**
 * A canvas that fills its box. It paints in the canvas phase of the frame loop: after a change of size, theme
 * or `paint`, and on request.
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
    if (canvas.current) painters.set(canvas.current, paint);
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

/** Sizes and colours are read once per change: reading them in each frame would force a layout. */
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
