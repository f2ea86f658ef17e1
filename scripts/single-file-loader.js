// Starts a page that is one file: unpacks its parts, each after those that it names, and imports the last one.
const REFERENCE = /new URL\(`([^`]+)`,import\.meta\.url\)\.href/g;
const addresses = {};

/** An address that a worker can fetch: in a page from a disk, a blob of the page is another site's to its workers. */
const dataAddress = (blob) =>
  new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(blob);
  });

let last = '';
for (const packed of document.querySelectorAll('script[type="application/gzip"]')) {
  const { name, type } = packed.dataset;
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  let contents = await new Response(unpacked).blob();
  if (type === 'text/javascript') {
    const code = await contents.text();
    contents = code.replace(REFERENCE, (found, file) =>
      file in addresses ? JSON.stringify(addresses[file]) : found,
    );
  }
  const part = new Blob([contents], { type });
  last = type === 'application/wasm' ? await dataAddress(part) : URL.createObjectURL(part);
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
