import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { sweepParam } from '../controllers/sweep-request';
import { useGesture } from '../controllers/useGesture';
import { useParameter } from '../controllers/useParameter';
import { useStore } from '../controllers/useStore';
import { setParam } from '../model/session/editing';
import { session } from '../model/session/session';
import { originalNumber } from './original-value';
import { ParameterRow } from './ParameterRow';

export interface SessionParameterProps {
  readonly path: string;
  readonly title: string;
  /** Shown in place of the title. */
  readonly words?: ReactNode;
  /** Whether the pointer rests on the row or the focus is in it. */
  onPreview?(on: boolean): void;
}

/** A pointer that only passes over a row previews nothing. */
const REST_MS = 120;

/** A parameter of the open session as a number with a slider; null if it has none. */
export function SessionParameter({ path, title, words, onPreview }: SessionParameterProps) {
  const [refused, setRefused] = useState<string>();
  const before = useStore(session, ({ before: last }) => (last === null ? null : last[path]));
  const parameter = useParameter(path);
  const editable = parameter?.editable;
  const { finish, ...gesture } = useGesture((value: number, commit: boolean) => {
    if (editable?.kind !== 'number') return;
    setRefused(setParam(path, editable.text(value), { commit })?.message);
  });
  const preview = usePreview(onPreview);
  if (!parameter || editable?.kind !== 'number') return null;
  const { param } = parameter;
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    finish();
    preview.onBlur();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that the pointer or the focus is in it
    <div
      onPointerEnter={preview.onPointerEnter}
      onPointerLeave={preview.onPointerLeave}
      onFocus={preview.onFocus}
      onBlur={leave}
    >
      <ParameterRow
        label={title}
        words={words}
        doc={param.spec.doc}
        {...editable}
        defaultValue={editable.original}
        was={originalNumber(editable, before)}
        origin={{ basis: param.basis, source: param.source, note: param.spec.doc }}
        refused={refused}
        {...(!param.variable && { onSweep: () => sweepParam(path) })}
        {...gesture}
      />
    </div>
  );
}

/** The pointer counts after a rest, the focus at once; the preview ends when both have left. */
function usePreview(onPreview: SessionParameterProps['onPreview']) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const on = useRef({ pointer: false, focus: false, reported: false });
  const latest = useRef(onPreview);
  latest.current = onPreview;
  const update = useRef((change: { pointer?: boolean; focus?: boolean }) => {
    clearTimeout(timer.current);
    Object.assign(on.current, change);
    const now = on.current.pointer || on.current.focus;
    if (now === on.current.reported) return;
    on.current.reported = now;
    latest.current?.(now);
  }).current;
  useEffect(() => () => update({ pointer: false, focus: false }), [update]);
  return {
    onPointerEnter: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => update({ pointer: true }), REST_MS);
    },
    onPointerLeave: () => update({ pointer: false }),
    onFocus: () => update({ focus: true }),
    onBlur: () => update({ focus: false }),
  };
}
