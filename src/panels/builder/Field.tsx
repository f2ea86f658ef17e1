import type { BuildFile } from '../../model/builder/build-types';
import { TextField } from '../../widgets/TextField';
import { change, giveUpTyping, typeChange } from './state';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  /** The file with a text in this field. */
  make(file: BuildFile, text: string): BuildFile;
  /** What is announced once it is accepted. */
  words(text: string): string;
}

/** A text of the file. It is kept from the first letter, and one visit of the field is one step to be undone. */
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
