// The parts that open a session begin to load beside the page's own script if the address names a scenario; otherwise
// they would wait until that script has run. The build writes their files into the element (scripts/vite-early.mjs).
(() => {
  const { parts, engine } = document.currentScript.dataset;
  if (!parts || !/^#\/\w+\/\w+\/\w/.test(location.hash)) return;
  const begin = (how) =>
    document.head.append(Object.assign(document.createElement('link'), { crossOrigin: '' }, how));
  for (const href of parts.split(' ')) begin({ rel: 'modulepreload', href });
  begin({ rel: 'preload', as: 'fetch', href: engine });
})();
