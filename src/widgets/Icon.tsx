/** Icons, 16 px, one stroke, drawn to sit beside 12 px text. */
const STROKES = {
  undo: 'M4 6.5h5.5a3 3 0 0 1 0 6H7M4 6.5l3-3M4 6.5l3 3',
  redo: 'M12 6.5H6.5a3 3 0 0 0 0 6H9M12 6.5l-3-3M12 6.5l-3 3',
  next: 'M12 3.5v9',
  previous: 'M4 3.5v9',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4',
  moon: 'M12.5 9.8A5.3 5.3 0 0 1 6.2 3.5a5.3 5.3 0 1 0 6.3 6.3z',
  system: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 2.5v11',
  projector: 'M2 3h12v7.5H2zM8 10.5v3M5.5 13.5h5',
  help: 'M5.8 6a2.2 2.2 0 1 1 3.1 2c-.7.3-.9.7-.9 1.5',
  fork: 'M4 2.5v11M4 9.5c0-3 8-1.5 8-5M12 4.5v-2',
  bookmark: 'M4.5 2.5h7v11L8 10.5l-3.5 3z',
  search: 'M7 3a4 4 0 1 0 0 8a4 4 0 1 0 0-8M10 10l3.5 3.5',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  forward: 'M6.5 3.5L11 8l-4.5 4.5',
  up: 'M4 9.5L8 5.5l4 4',
  down: 'M4 6.5L8 10.5l4-4',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  expand: 'M9.5 3h3.5v3.5M6.5 13H3V9.5M13 3L9 7M3 13l4-4',
  shrink: 'M12.5 7H9V3.5M3.5 9H7v3.5M9 7l4-4M7 9l-4 4',
  text: 'M3 4h10M3 7h10M3 10h10M3 13h6',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  check: 'M3.5 8.5l3 3l6-7',
} as const;

const FILLS: Readonly<Record<string, string>> = {
  play: 'M5 3l8 5-8 5z',
  reverse: 'M11 3l-8 5 8 5z',
  pause: 'M4.5 3H7v10H4.5zM9 3h2.5v10H9z',
  next: 'M4 3.5l6 4.5-6 4.5z',
  previous: 'M12 3.5L6 8l6 4.5z',
  start: 'M13 3.5L8 8l5 4.5zM8 3.5L3 8l5 4.5z',
  end: 'M3 3.5L8 8l-5 4.5zM8 3.5L13 8l-5 4.5z',
  help: 'M8 11.3a.7.7 0 1 0 0 1.4a.7.7 0 1 0 0-1.4',
  fork: 'M4 11a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3M12 1.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3',
};

export type IconName = keyof typeof STROKES | 'play' | 'reverse' | 'pause' | 'start' | 'end';

const strokeOf = (name: IconName): string | undefined =>
  (STROKES as Readonly<Record<string, string>>)[name];

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const stroke = strokeOf(name);
  const fill = FILLS[name];
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {stroke && <path d={stroke} fill="none" stroke="currentColor" strokeWidth="1.3" />}
      {fill && <path d={fill} fill="currentColor" />}
    </svg>
  );
}
