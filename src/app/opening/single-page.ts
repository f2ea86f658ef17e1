/** The page and a session as one HTML file, which opens from a disk and needs no network. */
import { fileName } from '../../widgets/download';
import { finish } from './open';
import { openText } from './open-document';

/** Built beside the page (scripts/vite-single-file.mjs). */
const FRAME = 'single.html';

const SLOT = /(<script type="application\/json" id="session">)[^<]*(<\/script>)/;
const TITLE = /<title>[^<]*<\/title>/;

const element = (): HTMLElement | null => document.getElementById('session');

const LETTERS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const asHtml = (text: string): string => text.replace(/[&<>]/g, (letter) => LETTERS[letter] ?? '');

/** JSON that cannot end the element in which it stands. */
const asScript = (json: string): string => json.replaceAll('<', '\\u003c');

/** This page, if it is such a file, as it was before it started; null otherwise. */
function ownFrame(): string | null {
  if (!element()) return null;
  const page = document.documentElement.cloneNode(true) as HTMLElement;
  for (const { name } of [...page.attributes]) if (name !== 'lang') page.removeAttribute(name);
  for (const sheet of page.querySelectorAll('link[rel=stylesheet]')) sheet.remove();
  page.querySelector('#root')?.replaceChildren();
  for (const added of page.querySelectorAll('body > :not(#root, script, noscript)')) added.remove();
  return `<!doctype html>\n${page.outerHTML}\n`;
}

async function fetchedFrame(): Promise<string> {
  const response = await fetch(new URL(FRAME, document.baseURI));
  if (!response.ok) throw new Error(`${FRAME} could not be fetched (status ${response.status}).`);
  return response.text();
}

/**
 * The page as HTML, with a session that it opens.
 * @param session - text of a session file
 * @throws {Error} if the page's frame cannot be fetched
 */
export async function singlePage(session: string, title: string): Promise<string> {
  const frame = ownFrame() ?? (await fetchedFrame());
  return frame
    .replace(TITLE, () => `<title>${asHtml(title)} · Busyard</title>`)
    .replace(SLOT, (_, start: string, end: string) => start + asScript(session) + end);
}

/** Opens the session that the page's file contains, unless its address names a place. */
export async function openContained(): Promise<void> {
  const text = element()?.textContent;
  if (!text || location.hash) return;
  const name = `${fileName(document.title.replace(/ · Busyard$/, ''))}.html`;
  const run = () => void openContained();
  finish(await openText(text, name), name, { run });
}
