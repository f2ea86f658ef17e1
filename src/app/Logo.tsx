/** The logo: two streams that join into a square. */
export function Logo() {
  return (
    <svg width="22" height="18" viewBox="0 0 22 18" aria-hidden="true">
      <path
        d="M1 3.5H7C11 3.5 11 9 15 9H21M1 14.5H7C11 14.5 11 9 15 9M1 9H21"
        fill="none"
        stroke="var(--ink-1)"
        strokeWidth="1.4"
      />
      <rect x="15.2" y="6.2" width="5.6" height="5.6" fill="var(--ink-1)" />
    </svg>
  );
}
