import { useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { placePopover } from './popoverPosition';
import styles from './QueryField.module.css';

interface FieldSuggestion {
  readonly text: string;
  readonly info: string;
}

interface FieldSuggestions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly FieldSuggestion[];
}

interface QueryFieldProps {
  readonly label: string;
  readonly title: string;
  readonly value: string;
  /** Why the text cannot be read, and where. */
  readonly error: { readonly message: string; readonly place: { readonly from: number } } | null;
  suggest(text: string, caret: number): FieldSuggestions | null;
  onChange(text: string): void;
  /** Suggestions are shown, or no longer: the text is still being written. */
  onHelp(shown: boolean): void;
  /** Enter without a chosen suggestion; -1 with Shift. */
  onEnter(by: 1 | -1): void;
}

/**
 * A search field with completion. Arrow keys choose a suggestion, Enter and Tab take it; Escape closes the list, then
 * clears the field.
 */
export function QueryField(props: QueryFieldProps) {
  const { label, title, value, error, suggest, onChange, onHelp, onEnter } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [help, setHelp] = useState<FieldSuggestions | null>(null);
  const [active, setActive] = useState(-1);
  const show = (next: FieldSuggestions | null) => {
    setHelp(next);
    setActive(-1);
    onHelp(next !== null);
  };
  const look = () => {
    const input = field.current;
    if (input) show(suggest(input.value, input.selectionStart ?? input.value.length));
  };
  function take(option: FieldSuggestion | undefined): void {
    const input = field.current;
    if (!help || !option || !input) return;
    const { from, to } = help;
    const before = input.value.slice(0, from) + option.text;
    onChange(before + input.value.slice(to));
    show(null);
    // The caret goes behind what was taken, once the field has it; a name is followed by its values.
    requestAnimationFrame(() => {
      input.setSelectionRange(before.length, before.length);
      if (option.text.endsWith(':')) look();
    });
  }
  function onKeyDown(event: React.KeyboardEvent): void {
    const count = help?.options.length ?? 0;
    const { key } = event;
    if ((key === 'ArrowDown' || key === 'ArrowUp') && count > 0) {
      event.preventDefault();
      const by = key === 'ArrowDown' ? 1 : -1;
      setActive((at) => (at < 0 && by < 0 ? count - 1 : (at + by + count) % count));
    } else if (key === ' ' && event.ctrlKey) {
      event.preventDefault();
      look();
    } else if ((key === 'Enter' || key === 'Tab') && help && active >= 0) {
      event.preventDefault();
      take(help.options[active]);
    } else if (key === 'Enter') {
      show(null);
      onEnter(event.shiftKey ? -1 : 1);
    } else if (key === 'Escape' && (help || value !== '')) {
      event.stopPropagation();
      if (help) show(null);
      else onChange('');
    }
  }
  return (
    <>
      <input
        ref={field}
        type="search"
        role="combobox"
        className={styles.field}
        aria-label={label}
        aria-expanded={help !== null}
        aria-controls={help ? `${id}-list` : undefined}
        aria-activedescendant={help && active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        aria-invalid={error !== null && help === null}
        autoComplete="off"
        spellCheck={false}
        placeholder="Find"
        title={title}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          look();
        }}
        onKeyDown={onKeyDown}
        onBlur={() => show(null)}
      />
      {help && (
        <Suggestions
          id={id}
          label={label}
          options={help.options}
          active={active}
          field={field.current}
          onTake={take}
        />
      )}
    </>
  );
}

interface SuggestionsProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly FieldSuggestion[];
  readonly active: number;
  readonly field: HTMLElement | null;
  onTake(option: FieldSuggestion): void;
}

function Suggestions({ id, label, options, active, field, onTake }: SuggestionsProps) {
  return createPortal(
    <div
      ref={(list) => place(list, field)}
      id={`${id}-list`}
      className={styles.list}
      role="listbox"
      aria-label={`Suggestions for ${label}`}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <div
          key={option.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
        >
          <b>{option.text}</b>
          <span>{option.info}</span>
        </div>
      ))}
    </div>,
    document.body,
  );
}

/** Puts the list below its field. */
function place(list: HTMLElement | null, field: HTMLElement | null): void {
  if (!list || !field) return;
  const page = { width: window.innerWidth, height: window.innerHeight };
  const size = { width: list.offsetWidth, height: list.offsetHeight };
  const { left, top } = placePopover(field.getBoundingClientRect(), size, page, 'start');
  list.style.left = `${left}px`;
  list.style.top = `${top}px`;
}
