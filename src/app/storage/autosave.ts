/**
 * Keeps the work of the open session: a record in the browser's storage a moment after each change. What
 * goes wrong is said in a banner that stays until it goes right again, and the work stays in memory.
 *
 *   change ──(quiet for a moment)──> write, if nobody wrote since we last did
 *                                      │ yes: banner "changed in another tab": load theirs, or keep mine
 *                                      │ refused: banner "not being saved": save as file
 */
import { dayOf } from '../../base/format';
import { closeBanner, showBanner } from '../../base/notices';
import { type RecentSession, recentSessions } from '../../base/recent';
import type { Readable } from '../../base/store';
import type { OpenSession } from '../session';
import type { NewerElsewhere, SavedSession, Shelf } from './sessions';

interface AutosaveHost {
  readonly session: Readable<OpenSession | null>;
  readonly shelf: Shelf;
  sessionText(): string;
  openText(text: string, name: string): Promise<{ readonly ok: boolean }>;
  saveFile(): void;
  newId(): string;
  now(): number;
  /** Runs the callback once things have been quiet; a later call takes the place of an earlier one. */
  settle(callback: () => void): void;
}

const FAILED = 'autosave-failed';
const NEWER = 'autosave-newer';

export class Autosave {
  /** Record of the open session and the stamp of our last write; null while nothing is saved. */
  #record: { readonly id: string; stamp: string | null } | null = null;
  #resuming = false;
  #waiting = false;
  /** Another tab's version is newer: nothing is written until the user has chosen. */
  #held = false;

  constructor(private readonly host: AutosaveHost) {
    host.session.subscribe((now, before) => this.#follow(now, before));
  }

  /** The record by which a reload finds the session again. */
  current(): string | null {
    return this.#record?.stamp ? this.#record.id : null;
  }

  /** Whether there is a change that has not been written yet. */
  get waiting(): boolean {
    return this.#waiting;
  }

  /** Writes now what is waiting: the page is being left. */
  async flush(): Promise<void> {
    if (this.#waiting) await this.#write(false);
  }

  /**
   * Opens a saved session; later changes go to the same record. A reload that came before the last write
   * brings along the newer text.
   */
  async resume(id: string, newer: string | null = null): Promise<boolean> {
    const saved = await this.host.shelf.load(id).catch(() => undefined);
    if (!saved) return false;
    const text = newer ?? saved.text;
    this.#resuming = true;
    const result = await this.host.openText(text, saved.title).catch(() => ({ ok: false }));
    this.#resuming = false;
    if (!result.ok) return false;
    this.#record = { id, stamp: saved.stamp };
    if (newer !== null) this.#soon();
    return true;
  }

  async forget(id: string): Promise<void> {
    await this.host.shelf.forget(id).catch((error) => this.#tellFailed(error));
    if (this.#record?.id === id) this.#record = null;
    await this.refresh();
  }

  /** Reads the list of saved sessions again. */
  async refresh(): Promise<void> {
    const saved = await this.host.shelf.list().catch(() => []);
    recentSessions.setState(saved.map(summary), true);
  }

  #follow(now: OpenSession | null, before: OpenSession | null): void {
    if (!now || this.#resuming) return;
    const other = now.opened !== before?.opened;
    if (other) {
      this.#record = null;
      this.#held = false;
      closeBanner(NEWER);
    }
    if (!other && now.revision === before?.revision) return;
    if (!this.#record && !isWork(now)) return;
    this.#soon();
  }

  #soon(): void {
    this.#waiting = true;
    this.host.settle(() => void this.#write(false));
  }

  async #write(anyway: boolean): Promise<void> {
    const open = this.host.session.getState();
    if (!open || (this.#held && !anyway)) return;
    this.#waiting = false;
    this.#record ??= { id: this.host.newId(), stamp: null };
    const mine = this.#record;
    const saved = this.#recordOf(open, mine.id);
    try {
      if (anyway) await this.host.shelf.overwrite(saved);
      else await this.host.shelf.save(saved, mine.stamp);
      mine.stamp = saved.stamp;
      closeBanner(FAILED);
      await this.host.shelf.dropOldest();
      await this.refresh();
    } catch (error) {
      if (isNewer(error)) this.#tellNewer(error.other);
      else this.#tellFailed(error);
    }
  }

  #recordOf(open: OpenSession, id: string): SavedSession {
    const { title, system, kind, scenario, changes } = open;
    const { now, newId, sessionText } = this.host;
    const record = { id, title, system, kind, changes, savedAt: now(), stamp: newId() };
    return { ...record, ...(scenario ? { scenario } : {}), text: sessionText() };
  }

  #tellFailed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    showBanner({
      id: FAILED,
      kind: 'warning',
      title: 'Your work is not being saved',
      detail: `The browser refuses its storage (${why}). The work stays in memory while this page is open.`,
      actions: [{ title: 'Save as a file', run: this.host.saveFile }],
      sticky: true,
    });
  }

  #tellNewer(other: SavedSession): void {
    this.#held = true;
    const when = dayOf(new Date(other.savedAt), new Date(this.host.now()));
    const answer = (action: () => Promise<unknown>) => () => {
      this.#held = false;
      closeBanner(NEWER);
      void action();
    };
    showBanner({
      id: NEWER,
      kind: 'warning',
      title: 'This session is newer in another tab',
      detail: `${other.title} was changed there ${when}. Nothing is saved here until you choose.`,
      actions: [
        { title: 'Load the newer one', run: answer(() => this.resume(other.id)) },
        { title: 'Keep this one', run: answer(() => this.#write(true)) },
      ],
      sticky: true,
    });
  }
}

/** What the gallery alone could not bring back: something changed, or something from a file or link. */
const isWork = (session: OpenSession): boolean =>
  session.changes > 0 || session.scenario === undefined;

const isNewer = (error: unknown): error is NewerElsewhere =>
  error instanceof Error && 'other' in error;

const summary = ({ id, title, system, savedAt, changes }: SavedSession): RecentSession => ({
  id,
  title,
  system,
  savedAt,
  changes,
});
