/** What a page has and the DOM of these tests has not: frames that come at once, and boxes with a size. */
import { vi } from 'vitest';
import { loop } from '../base/loop';
import { shell } from '../base/shell';

const [WIDTH, FRAME] = [700, 4];

/** Every box is 700 pixels wide and so high. */
export function standInForPage(height: number): void {
  // The responses of this DOM are not those that Node can stream.
  vi.spyOn(WebAssembly, 'compileStreaming').mockImplementation(async (response) =>
    WebAssembly.compile(await (await response).arrayBuffer()),
  );
  loop.attach({
    request: (run) => setTimeout(() => run(performance.now()), FRAME) as unknown as number,
    cancel: clearTimeout,
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly tell: (entries: unknown[]) => void) {}
      observe() {
        this.tell([{ contentRect: { width: WIDTH, height } }]);
      }
      disconnect() {}
    },
  );
  shell.setState({ reducedMotion: true });
}
