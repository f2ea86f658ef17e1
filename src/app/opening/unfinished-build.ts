/**
 * A banner for views that show a run while the machine in the builder is unfinished: the run is of another
 * machine.
 */
import { closeBanner, showBanner } from '../../base/notices';
import { route } from '../../base/route';
import { navigateInSession, session } from '../../model/session/session';
import { sessionModule } from '../../model/session/session-module';

const BANNER = 'unfinished';

export const isUnfinished = (): boolean => session.getState().built?.good !== undefined;

/** Whether the page shows a run of the open session. */
const showsRun = (): boolean =>
  ['machine', 'lab', 'sandbox', 'compare'].includes(route.getState().view);

/** The text that the banner was shown for. */
let reported: string | null = null;

async function update(): Promise<void> {
  const { built, title, dragging } = session.getState();
  const text = showsRun() && isUnfinished() && !dragging ? (built?.text ?? null) : null;
  if (text === reported) return;
  reported = text;
  closeBanner(BANNER);
  if (text === null) return;
  const [first, ...others] = await sessionModule().finishBuilt(text);
  if (!first || reported !== text) return;
  const shown = built?.good ? 'the last machine that ran' : 'the scenario as it was opened';
  const more = others.length > 0 ? ` And ${others.length} more.` : '';
  showBanner({
    id: BANNER,
    kind: 'warning',
    title: 'The machine on the sheet does not run yet',
    detail: `Shown here is ${shown}, “${title}”. The sheet cannot run: ${first.message}${more}`,
    actions: [{ title: 'Go to the sheet', run: () => navigateInSession('build') }],
    sticky: true,
  });
}

export function startUnfinished(): void {
  for (const store of [session, route]) store.subscribe(() => void update());
}
