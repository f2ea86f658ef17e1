// Starts a page that is one file: unpacks its parts, each after those that it names, and imports the last one.
const REFERENCE = /new URL\(`([^`]+)`,import\.meta\.url\)\.href/g;
const addresses = {};
let last = '';
for (const part of document.querySelectorAll('script[type="application/gzip"]')) {
  const { name, type } = part.dataset;
  const bytes = Uint8Array.from(atob(part.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  let contents = await new Response(unpacked).blob();
  if (type === 'text/javascript') {
    const code = await contents.text();
    contents = code.replace(REFERENCE, (found, file) =>
      file in addresses ? JSON.stringify(addresses[file]) : found,
    );
  }
  last = URL.createObjectURL(new Blob([contents], { type }));
  addresses[name] = last;
  if (type === 'text/css') {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = last;
    document.head.append(sheet);
  }
}
// A browser that support.js has refused has no root.
if (document.getElementById('root')) await import(last);
