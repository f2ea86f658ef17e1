/** A problem found while opening a file or link. */
interface FileProblem {
  /** JSON pointer, or line and column; empty if the file as a whole is at fault. */
  readonly place: string;
  /** The violated rule, as a sentence. */
  readonly sentence: string;
}

export type OpenResult =
  /** `overtaken`: another document was opened meanwhile and stays open. `stopped`: cancelled by the user. */
  | { readonly ok: true; readonly overtaken?: true; readonly stopped?: true }
  | {
      readonly ok: false;
      readonly title: string;
      readonly problems: readonly FileProblem[];
      /** The document may be fine: a part of the page could not be fetched. */
      readonly unfetched?: boolean;
    };
