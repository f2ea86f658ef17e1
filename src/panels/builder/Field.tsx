import type { BuildFile } from '../../model/builder/build-types';
import { TextField } from '../../widgets/TextField';
import { change, giveUpTyping, typeChange } from './state';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  /** Returns the file with this text in the field. */
  make(file: BuildFile, text: string): BuildFile;
  /** Announced when the text is accepted. */
  words(text: string): string;
}

/**
 * A text field of the file. It is saved from the first letter, and one visit of the field is one undo step.
 */
export function Field({ label, value, make, words }: FieldProps) {
  return (
    <TextField
      label={label}
      value={value}
      onType={(text) => {
        if (text === null) giveUpTyping();
        else typeChange((file) => make(file, text));
      }}
      onCommit={(text) => change((file) => make(file, text), words(text))}
    />
  );
}
