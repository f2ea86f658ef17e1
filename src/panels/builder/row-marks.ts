/** Marks of program rows in the text of a scenario: the rows that run, and those at which playing stops. */
import { type Range, RangeSet, type RangeValue, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type EditorView,
  GutterMarker,
  gutter,
  keymap,
  EditorView as View,
} from '@codemirror/view';

export interface RowMark {
  /** Line of the text, from 1. */
  readonly line: number;
  /** What a thread does there at the playhead. */
  readonly now: 'running' | 'ready' | 'waiting' | null;
  /** Whether playing stops there; null if it cannot. */
  readonly stops: boolean | null;
  /** Time that the row took in the run. */
  readonly cost: string;
}

export const setRowMarks = StateEffect.define<readonly RowMark[]>();

class StopMarker extends GutterMarker {
  constructor(
    private readonly mark: RowMark,
    private readonly label: string,
  ) {
    super();
  }

  override eq(other: StopMarker): boolean {
    return other.mark.now === this.mark.now && other.mark.stops === this.mark.stops;
  }

  override toDOM(): HTMLElement {
    const dom = document.createElement('span');
    dom.className = 'row-mark';
    dom.title = this.label;
    if (this.mark.stops !== null) dom.dataset.stops = String(this.mark.stops);
    if (this.mark.now) dom.dataset.now = this.mark.now;
    return dom;
  }
}

class CostMarker extends GutterMarker {
  constructor(private readonly cost: string) {
    super();
  }

  override eq(other: CostMarker): boolean {
    return other.cost === this.cost;
  }

  override toDOM(): Text {
    return document.createTextNode(this.cost);
  }
}

const marks = StateField.define<readonly RowMark[]>({
  create: () => [],
  update(before, { effects }) {
    return effects.reduce((now, effect) => (effect.is(setRowMarks) ? effect.value : now), before);
  },
});

/** The places of the lines that still exist: the text may have become shorter meanwhile. */
function ranges<T extends RangeValue>(
  { state }: EditorView,
  make: (mark: RowMark) => T | null,
): Range<T>[] {
  return state.field(marks).flatMap((mark) => {
    const made = mark.line <= state.doc.lines ? make(mark) : null;
    return made ? [made.range(state.doc.line(mark.line).from)] : [];
  });
}

const LABELS = { running: 'This row runs', ready: 'This row is next', waiting: 'This row waits' };

const labelOf = ({ now, stops }: RowMark): string =>
  [
    now ? LABELS[now] : '',
    stops === null ? '' : stops ? 'Playing stops here (F9)' : 'Stop here (F9)',
  ]
    .filter(Boolean)
    .join('. ');

const theme = View.baseTheme({
  '.row-stops': { width: '18px', cursor: 'pointer' },
  '.row-mark': { display: 'block', position: 'relative', width: '18px', height: '100%' },
  '.row-mark[data-stops]::before': {
    content: '""',
    position: 'absolute',
    top: 'calc(50% - 4px)',
    left: '5px',
    width: '8px',
    height: '8px',
    boxSizing: 'border-box',
    border: '1px solid var(--line-2)',
    borderRadius: '50%',
  },
  '.row-mark[data-stops="true"]::before': {
    backgroundColor: 'var(--bad)',
    borderColor: 'var(--bad)',
  },
  '.row-mark[data-now]::after': {
    content: '""',
    position: 'absolute',
    top: 'calc(50% - 4px)',
    left: '6px',
    borderLeft: '7px solid var(--ink-1)',
    borderTop: '4px solid transparent',
    borderBottom: '4px solid transparent',
  },
  '.row-mark[data-now="waiting"]::after': { borderLeftColor: 'var(--ink-3)' },
  '.row-now': { backgroundColor: 'var(--mark)' },
  '.row-waits': { backgroundColor: 'color-mix(in srgb, var(--mark) 45%, transparent)' },
  '.row-costs': { paddingLeft: '6px', color: 'var(--ink-2)', textAlign: 'right' },
});

/** @param toggle is called with the line of a row whose stop is pressed, or where F9 is */
export function rowMarks(toggle: (line: number) => void) {
  const lineAt = (view: EditorView, at: number) => view.state.doc.lineAt(at).number;
  return [
    marks,
    theme,
    gutter({
      class: 'row-stops',
      markers: (view) => RangeSet.of(ranges(view, (mark) => new StopMarker(mark, labelOf(mark)))),
      lineMarkerChange: ({ startState, state }) => startState.field(marks) !== state.field(marks),
      initialSpacer: () => new StopMarker({ line: 0, now: null, stops: null, cost: '' }, ''),
      domEventHandlers: {
        mousedown(view, { from }) {
          toggle(lineAt(view, from));
          return true;
        },
      },
    }),
    gutter({
      class: 'row-costs',
      side: 'after',
      markers: (view) =>
        RangeSet.of(ranges(view, ({ cost }) => (cost ? new CostMarker(cost) : null))),
      lineMarkerChange: ({ startState, state }) => startState.field(marks) !== state.field(marks),
    }),
    View.decorations.of((view) =>
      Decoration.set(
        ranges(view, ({ now }) =>
          now ? Decoration.line({ class: now === 'waiting' ? 'row-waits' : 'row-now' }) : null,
        ),
      ),
    ),
    keymap.of([
      {
        key: 'F9',
        run(view) {
          toggle(lineAt(view, view.state.selection.main.head));
          return true;
        },
      },
    ]),
  ];
}
