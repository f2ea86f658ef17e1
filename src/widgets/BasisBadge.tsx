import { useRef, useState } from 'react';
import styles from './BasisBadge.module.css';
import { Popover } from './Popover';

type Basis = 'measured' | 'documented' | 'derived' | 'calibrated' | 'assumed' | 'scenario';

export interface Origin {
  readonly basis: Basis;
  /** Where the value comes from: title, year, page or table. */
  readonly source?: string | undefined;
  /** Quotation from the source. */
  readonly quote?: string | undefined;
  /** How the value was derived from the quotation. */
  readonly note?: string | undefined;
}

const MEANING: Readonly<Record<Basis, string>> = {
  measured: 'Read off a published measurement.',
  documented: 'Stated in the documentation of the machine.',
  derived: 'Worked out from documented or measured values.',
  calibrated: 'Set so that the model reproduces some rows of a published measurement.',
  scenario: 'Chosen by the scenario.',
  assumed: 'Chosen here; no source gives it.',
};

/** How well a value is founded: the fuller the disc, the better. Pressing it shows the source. */
export function BasisBadge(origin: Origin) {
  const { basis, source, quote, note } = origin;
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={styles.badge}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <BasisDisc basis={basis} />
        {basis}
      </button>
      {open && (
        <Popover
          anchor={anchor}
          label={`Source: ${basis}`}
          align="end"
          onClose={() => setOpen(false)}
        >
          <div className={styles.sheet}>
            <p>
              <b>{basis[0]?.toUpperCase() + basis.slice(1)}.</b> {MEANING[basis]}
            </p>
            {quote && <blockquote>{quote}</blockquote>}
            {note && <p>{note}</p>}
            {source && <p className={styles.source}>{source}</p>}
          </div>
        </Popover>
      )}
    </>
  );
}

/** The disc alone, for tables and drawings. */
function BasisDisc({ basis }: { readonly basis: Basis }) {
  const half = basis === 'documented' || basis === 'derived';
  const dashed = basis === 'assumed' || basis === 'scenario';
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      {basis === 'measured' && <circle cx="5" cy="5" r="3.6" fill="currentColor" />}
      {half && <path d="M5 1.4A3.6 3.6 0 0 1 5 8.6z" fill="currentColor" />}
      <circle
        cx="5"
        cy="5"
        r="3.6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.1"
        strokeDasharray={dashed ? '1.8 1.3' : undefined}
      />
    </svg>
  );
}
