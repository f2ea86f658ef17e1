/**
 * Kinds of files the page can open. The app asks each opener in turn when a file is chosen, dropped or
 * linked; a panel that understands a format of its own adds one.
 */
import { createRegistry } from './registry';

/** What is wrong with a file: where (JSON pointer or line and column) and which rule it breaks. */
interface Problem {
  readonly place: string;
  readonly sentence: string;
}

export type OpenResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly title: string; readonly problems: readonly Problem[] };

export interface FileOpener {
  readonly id: string;
  readonly order?: number;
  /** What it is, for people: "gttp text". */
  readonly title: string;
  /** Whether this text looks like one of its kind; decided on the contents first, the name second. */
  accepts(text: string, fileName: string): boolean;
  /** Opens it, or says what is wrong with it and leaves everything as it was. */
  open(text: string, fileName: string): Promise<OpenResult>;
}

export const fileOpeners = createRegistry<FileOpener>();
