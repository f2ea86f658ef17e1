/** The text editors of the page, which show only the lines in view. */
import type { Page } from '@playwright/test';

const inView = (page: Page, label: string) =>
  page.locator(`[data-editor="${label}"]`).locator('.cm-content');

/** The complete text. */
export const textOf = (page: Page, label: string): Promise<string> =>
  inView(page, label).evaluate((content) =>
    // The editor keeps its view at its element.
    (
      content as unknown as { cmTile: { view: { state: { doc: string } } } }
    ).cmTile.view.state.doc.toString(),
  );

/** Types `text` in place of the first `found`, or at the end if there is none. */
export async function typeInPlaceOf(
  page: Page,
  label: string,
  found: string | null,
  text: string,
): Promise<void> {
  await inView(page, label).evaluate((content, wanted) => {
    const { view } = (
      content as unknown as {
        cmTile: {
          view: {
            state: { doc: { toString(): string; length: number } };
            dispatch(change: unknown): void;
            focus(): void;
          };
        };
      }
    ).cmTile;
    const all = view.state.doc.toString();
    const from = wanted === null ? all.length : all.indexOf(wanted);
    if (from < 0) throw new Error(`The editor does not contain ${wanted}.`);
    view.dispatch({
      selection: { anchor: from, head: from + (wanted?.length ?? 0) },
      scrollIntoView: true,
    });
    view.focus();
  }, found);
  await page.keyboard.insertText(text);
}
