import { useMemo, useRef } from 'react';
import { type CompiledParam, type CompiledPart, partNamed } from '../model/scenario/compiled';
import { type Editable, editableParam } from '../model/scenario/editable-param';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** The part of a parameter. It is the same object as long as its parameters are: an edit leaves most parts alone. */
function usePartOf(path: string): CompiledPart | undefined {
  const last = useRef<CompiledPart>(undefined);
  return useStore(session, ({ machine }) => {
    const now = machine ? partNamed(machine, path.slice(0, path.indexOf('.'))) : undefined;
    const isSame = now?.params === last.current?.params && now?.type === last.current?.type;
    if (!isSame) last.current = now;
    return last.current;
  });
}

interface SessionParam {
  readonly param: CompiledParam;
  readonly editable: Editable;
}

/** A parameter of the open session, and as what it can be edited; null if there is none. */
export function useParameter(path: string): SessionParam | null {
  const part = usePartOf(path);
  return useMemo(() => {
    const param = part?.params.find((one) => one.path === path);
    const editable = part && param ? editableParam(part, param) : null;
    return param && editable ? { param, editable } : null;
  }, [part, path]);
}
