import { type ReactNode, useEffect } from 'react';
import { shell } from '../base/shell-state';
import { createStore } from '../base/store';
import { useStore } from '../controllers/useStore';
import type { Phrase } from '../draw/phrase';
import { Phrases } from './Phrases';

/** What the projected panel says of the moment at the playhead; null if it says nothing. */
export const panelWords = createStore<{ readonly phrases: readonly Phrase[] | null }>({
  phrases: null,
});

interface PanelSentenceProps {
  readonly phrases: readonly Phrase[];
  readonly className?: string | undefined;
  /** Before the words. */
  readonly mark?: ReactNode;
}

/** The sentence under a picture that plays. On a projector the caption below the picture says it, in large letters. */
export function PanelSentence({ phrases, className, mark }: PanelSentenceProps) {
  const lecture = useStore(shell, (state) => state.lecture);
  const json = JSON.stringify(phrases);
  useEffect(() => {
    if (!lecture) return;
    panelWords.setState({ phrases: JSON.parse(json) });
    return () => panelWords.setState({ phrases: null });
  }, [json, lecture]);
  if (lecture) return null;
  return (
    <p className={className}>
      {mark}
      <Phrases phrases={phrases} />
    </p>
  );
}
