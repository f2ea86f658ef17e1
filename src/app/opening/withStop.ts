/** A banner with a stop button for work that takes long. */
import { type Banner, closeBanner, showBanner } from '../../base/notices';

/** Shorter work shows no banner. */
const PATIENCE_MS = 400;

/** Stopped work can be restarted: nothing else on the page leads back to a link. */
function showStopped({ id, title }: Pick<Banner, 'id' | 'title'>, restart: () => void): void {
  const run = () => {
    closeBanner(id);
    restart();
  };
  showBanner({
    ...{ id, kind: 'note', title: `${title} was stopped`, passing: true },
    detail: 'Your session is untouched.',
    actions: [{ title: 'Restart', run }],
  });
}

/** Starts the work at once; the banner appears after `PATIENCE_MS` and closes with it. */
export async function withStop<T>(
  banner: Pick<Banner, 'id' | 'title' | 'detail'>,
  work: (signal: AbortSignal) => Promise<T>,
  restart: () => void,
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
    if (stop.signal.aborted) showStopped(banner, restart);
  }
}
