// Before the first paint, so that a dark room never flashes white. src/app/theme.ts takes over from here.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  let choice = new URLSearchParams(location.search).get('theme');
  try {
    choice ??= localStorage.getItem('busyard.theme');
  } catch {
    // A browser that refuses storage follows the system.
  }
  const theme = choice === 'light' || choice === 'dark' ? choice : dark ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
})();
