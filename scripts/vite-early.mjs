// A Vite plugin that tells public/early.js which files a session is opened with: their names contain hashes.

const SCRIPT = 'early.js"';
const OPENS = 'session-module-exports';
const ENGINE = /^assets\/core-[^/]+\.wasm$/;

/** A chunk and all that it imports, without what the page begins with. */
function partsOf(bundle, name, known) {
  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const parts = new Set();
  const add = (file) => {
    if (known.has(file) || parts.has(file)) return;
    parts.add(file);
    for (const other of bundle[file].imports) add(other);
  };
  add(chunks.find((chunk) => chunk.name === name).fileName);
  return [...parts];
}

export function earlyParts() {
  return {
    name: 'early-parts',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle, chunk }) => {
        if (!bundle || !chunk) return html;
        const parts = partsOf(bundle, OPENS, new Set([chunk.fileName, ...chunk.imports]));
        const engine = Object.keys(bundle).find((file) => ENGINE.test(file));
        const list = parts.map((file) => `./${file}`).join(' ');
        return html.replace(SCRIPT, `${SCRIPT} data-parts="${list}" data-engine="./${engine}"`);
      },
    },
  };
}
