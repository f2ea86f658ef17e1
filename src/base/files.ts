/** How the opening of a file or link ended. */
interface FileProblem {
  /** JSON pointer, or line and column; empty if the file as a whole is at fault. */
  readonly place: string;
  /** The rule that was broken. */
  readonly sentence: string;
}

export type OpenResult =
  /** `overtaken`: something else was opened meanwhile, and stays. `stopped`: by the user. */
  | { readonly ok: true; readonly overtaken?: true; readonly stopped?: true }
  | {
      readonly ok: false;
      readonly title: string;
      readonly problems: readonly FileProblem[];
      /** Nothing is wrong with it: a part of the page could not be fetched. */
      readonly unfetched?: boolean;
    };
