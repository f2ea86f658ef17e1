import { showToast } from '../../base/notices';
import { shownWindow } from '../../controllers/usePlayheadWindow';
import { sealedFromPs } from '../../model/lesson/answer-mask';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { saveCanvasAsSvg } from '../../widgets/canvas-svg';

/** Saves the lanes as they are drawn now. Shapes under a seal would be in the file, so then nothing is saved. */
export async function saveLanes(): Promise<void> {
  if (sealedFromPs(player.now().timePs) < shownWindow.getState().to) {
    showToast('Answer the question first: the file would have what its seal hides.');
    return;
  }
  const canvas = document.querySelector<HTMLCanvasElement>('#lanes canvas');
  if (canvas) await saveCanvasAsSvg(canvas, session.getState().title);
}
