/**
 * The list of recent work: the stored records, overlaid with the versions of this page that are not stored
 * yet.
 */
import { type RecentSession, recentSessions, recentSessionsError } from '../../base/recent';
import type { SavedSession } from './saved-session';

/** Delay in milliseconds before the list is read again after a failure. */
const RETRY_MS = 15_000;

export class RecentList {
  /** Null for a record without changes. */
  #stored: ReadonlyMap<string, RecentSession | null> = new Map();
  #unsaved: readonly (readonly [id: string, RecentSession | null])[] = [];
  /** Number of the latest read; older answers are dropped. */
  #latestRead = 0;

  constructor(
    private readonly list: () => Promise<readonly SavedSession[]>,
    private readonly after: (ms: number, callback: () => void) => () => void,
  ) {}

  /** Reads the list again. A failure is shown beside it and retried. */
  async refresh(): Promise<void> {
    const turn = ++this.#latestRead;
    try {
      const all = await this.list();
      if (turn !== this.#latestRead) return;
      this.#stored = new Map(all.map((record) => [record.id, summary(record)]));
      recentSessionsError.setState(null, true);
    } catch (error) {
      if (turn !== this.#latestRead) return;
      const why = error instanceof Error ? error.message : String(error);
      recentSessionsError.setState(`Saved sessions cannot be listed: ${why}.`, true);
      this.after(RETRY_MS, () => void this.refresh());
    }
    this.#publish();
  }

  add(record: SavedSession): void {
    this.#stored = new Map([...this.#stored, [record.id, summary(record)]]);
    this.#publish();
  }

  drop(ids: readonly string[]): void {
    this.#stored = new Map([...this.#stored].filter(([id]) => !ids.includes(id)));
    this.#publish();
  }

  setUnsaved(records: readonly SavedSession[]): void {
    // Of several versions of a record the last one counts.
    this.#unsaved = records
      .toSorted((a, b) => a.savedAt - b.savedAt)
      .map((record) => [record.id, summary(record)]);
    if (recentSessions.getState() || records.length > 0) this.#publish();
  }

  #publish(): void {
    const all = new Map([...this.#stored, ...this.#unsaved]);
    const newest = [...all.values()]
      .filter((recent) => recent !== null)
      .sort((a, b) => b.savedAt - a.savedAt);
    recentSessions.setState(newest, true);
  }
}

const summary = ({
  id,
  title,
  system,
  scenario,
  savedAt,
  changes,
  own,
}: SavedSession): RecentSession | null =>
  own ? { id, title, system, ...(scenario ? { scenario } : {}), savedAt, changes } : null;
