/** The whole page at a fragment, without what an address says about theme or frame. */
export const pageAddress = (fragment: string): string =>
  `${location.href.replace(/[?#].*$/, '')}${fragment}`;
