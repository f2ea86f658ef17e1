/** Opens files dropped on the page or chosen in the file dialog. */
import { createStore } from '../../base/store';
import { openFiles } from './open';

/** Whether a file is dragged over the page; the frame then shows the drop target. */
export const dragging = createStore(false);

const hasFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

export function startDrop(): void {
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    dragging.setState(true, true);
  });
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) dragging.setState(false, true);
  });
  window.addEventListener('drop', (event) => {
    dragging.setState(false, true);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void openFiles(files);
  });
}

export function chooseFile(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept =
    '.json,.jsonc,.jsonl,.md,.txt,.csv,.log,.din,.trace,.ftrace,.vcd,.gz,text/plain,application/json';
  input.addEventListener('change', () => {
    void openFiles([...(input.files ?? [])]);
  });
  input.click();
}
