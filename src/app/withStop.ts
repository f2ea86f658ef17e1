/** A banner beside work that takes long, with a button that stops it. */
import { type Banner, closeBanner, showBanner } from '../base/notices';

/** What is at once there needs no word about waiting. */
const PATIENCE_MS = 400;

/** Work that begins at once; its banner comes after a moment and goes with it. */
export async function withStop<T>(
  banner: Pick<Banner, 'id' | 'title' | 'detail'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const show = () =>
    showBanner({
      ...banner,
      kind: 'warning',
      actions: [{ title: 'Stop', run: () => stop.abort() }],
      sticky: true,
    });
  const timer = setTimeout(show, PATIENCE_MS);
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    closeBanner(banner.id);
  }
}
