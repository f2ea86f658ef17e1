/**
 * `open`: not answered; `right`: predicted correctly; `other`: the run showed something else; `shown`:
 * revealed without an answer.
 */
export type MarkKind = 'open' | 'right' | 'other' | 'shown';

/** Open: a ring. Right: a disc inside it. Other: a stroke. Shown: half a disc. */
export function AnswerMark({ kind }: { readonly kind: MarkKind }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" strokeWidth="1.1" />
      {kind === 'right' && <circle cx="5" cy="5" r="3.7" fill="currentColor" />}
      {kind === 'other' && <path d="M2.6 7.4L7.4 2.6" stroke="currentColor" strokeWidth="1.1" />}
      {kind === 'shown' && <path d="M5 1A4 4 0 0 1 5 9z" fill="currentColor" />}
    </svg>
  );
}
