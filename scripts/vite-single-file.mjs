// A Vite plugin for `vite build --mode single`: the whole page as one HTML file, which opens from a disk too. The page
// takes it as the frame of "Save as one HTML page" (src/app/single-page.ts) and writes a session into it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './lib.mjs';
import { browsers } from './vite-browsers.mjs';

const NAME = 'single.html';
const MODULE = 'text/javascript';
const TYPES = { js: MODULE, css: 'text/css', wasm: 'application/wasm' };
const read = (path) => readFileSync(join(root, path), 'utf8');

const sources = (...scripts) =>
  scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');

/** What the file may do: start its own scripts, and read its own parts. It has no access to a network. */
const policy = (...scripts) =>
  [
    "default-src 'none'",
    `script-src ${sources(...scripts)} 'wasm-unsafe-eval' blob:`,
    'worker-src blob:',
    'style-src blob:',
    'font-src data:',
    'img-src data:',
    'connect-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** Parts are packed: the file is sent by mail. A worker or the page stands after the parts that it names. */
const packed = ({ name, contents }) =>
  `<script type="application/gzip" data-name="${name}" data-type="${TYPES[name.split('.').pop()]}">${gzipSync(
    contents,
    { level: 9 },
  ).toString('base64')}</script>`;

const RANK = { wasm: 0, css: 0, js: 1 };

function page(parts) {
  const theme = read('public/theme.js');
  const support = read('public/support.js');
  const loader = read('scripts/single-file-loader.js');
  const icon = Buffer.from(read('public/icon.svg')).toString('base64');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy(theme, support, loader)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <title>Busyard</title>
    <link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${icon}" />
    <script>${theme}</script>
  </head>
  <body>
    <div id="root"></div>
    <script>${support}</script>
    <noscript>Busyard simulates machines in your browser and needs JavaScript for it.</noscript>
    <script type="application/json" id="session"></script>
${parts.map(packed).join('\n')}
    <script type="module">${loader}</script>
  </body>
</html>
`;
}

export function singleFile() {
  return {
    name: 'single-file',
    enforce: 'post',
    // A font that the document preloads would not stand in the style sheet.
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace(/<link\s+rel="preload"[^>]*>/g, ''),
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle).filter(({ fileName }) =>
          /\.(js|css|wasm)$/.test(fileName),
        );
        const rank = (file) => (file.isEntry ? 2 : RANK[file.fileName.split('.').pop()]);
        const parts = files
          .sort((a, b) => rank(a) - rank(b))
          .map((file) => ({
            name: file.fileName.split('/').pop(),
            contents: file.code ?? file.source,
          }));
        for (const name of Object.keys(bundle)) delete bundle[name];
        this.emitFile({
          type: 'asset',
          fileName: NAME,
          source: browsers().transformIndexHtml(page(parts)),
        });
      },
    },
  };
}
