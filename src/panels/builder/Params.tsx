import { useState } from 'react';
import { setPartParam } from '../../model/builder/build-file';
import type { DraftPart } from '../../model/builder/draft';
import type { CompiledParam } from '../../model/scenario/compiled';
import { type Editable, editableParam } from '../../model/scenario/editable-param';
import type { Value } from '../../model/scenario/scenario-types';
import { toText, writtenValue } from '../../model/scenario/values';
import { BasisBadge } from '../../widgets/BasisBadge';
import { ParameterRow } from '../../widgets/ParameterRow';
import { Section } from '../../widgets/Section';
import { Select } from '../../widgets/Select';
import { Field } from './Field';
import styles from './Sheet.module.css';
import { change } from './state';

/** The parameters of a part: those of its manifest, with the file's values. */
export function Params({ part }: { readonly part: DraftPart }) {
  if (part.params.length === 0) return null;
  return (
    <Section title="Parameters" aside="tick: as in the manifest">
      {part.params.map((param) => (
        <Param key={param.path} part={part} param={param} />
      ))}
    </Section>
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A value as the control shows it: "on", not "true". */
const shown = (editable: Editable | null, next: Value): string =>
  (editable?.kind === 'choice' &&
    editable.options.find(({ value }) => value === String(next))?.title) ||
  String(next);

function Param({ part, param }: { readonly part: DraftPart; readonly param: CompiledParam }) {
  const { spec, basis, source, value } = param;
  const [dragged, setDragged] = useState<number | null>(null);
  const editable = editableParam({ ...part, name: part.name }, param);
  const title = capitalised(spec.title);
  const origin = { basis, source, note: spec.doc };
  const sentence = (next: Value) => `${part.title}: “${title}” is ${shown(editable, next)}.`;
  const written = (text: string) => writtenValue(text, spec.type);
  const set = (next: Value) => {
    setDragged(null);
    change((file) => setPartParam(file, part.name, spec.name, next), sentence(next));
  };
  if (editable?.kind === 'number')
    return (
      <ParameterRow
        label={title}
        doc={spec.doc}
        {...editable}
        value={dragged ?? editable.value}
        defaultValue={editable.original}
        origin={origin}
        onInput={setDragged}
        onCommit={(next) => set(editable.text(next))}
      />
    );
  return (
    <div className={styles.fixed} title={spec.doc}>
      {editable ? (
        <Select
          label={title}
          showLabel
          options={editable.options}
          value={editable.value}
          onChange={(next) => set(editable.written(next))}
        />
      ) : (
        <>
          <span>{title}</span>
          <Field
            label={title}
            value={toText(value, spec.type, part.type.enums)}
            make={(file, text) => setPartParam(file, part.name, spec.name, written(text))}
            words={sentence}
          />
        </>
      )}
      <BasisBadge {...origin} />
    </div>
  );
}
