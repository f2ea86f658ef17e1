// The page's permissions for browsers: its content security policy and further headers. The built page
// contains the policy as a meta element; `npm start` and the file for static hosts send all headers.

const PAGE = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'font-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'busyard',
};

// The only worker that accesses other sites, for `#url=` after the user has agreed. It does nothing else.
const FETCHER = { 'default-src': "'none'", 'connect-src': 'https: http:' };

const text = (directives) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

/** For the meta element, which does not support `frame-ancestors`. */
export const metaPolicy = text(PAGE);

/** Hosts that may show the page in a frame. */
export const pagePolicy = text({ ...PAGE, 'frame-ancestors': "'self'" });

const fetcherPolicy = text(FETCHER);

const isFetcher = (path) => /^\/?assets\/fetch-worker-[^/]+\.js$/.test(path);

export const policyOf = (path) => (isFetcher(path) ? fetcherPolicy : pagePolicy);

/** Sent with the policy in every response. */
export const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const block = (path, headers) =>
  `${path}\n${Object.entries(headers)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join('')}`;

/**
 * `_headers` for Netlify, Cloudflare Pages and others. Where two blocks match a path, hosts join their
 * values, and both policies would apply: so each executable file has one block with a policy.
 */
export function headersFile(files) {
  const runs = ['', 'index.html', 'sw.js', ...files.filter(isWorker)];
  const policies = runs.map((path) =>
    block(`/${path}`, { 'Content-Security-Policy': policyOf(path) }),
  );
  const lasting = block('/assets/*', { 'Cache-Control': 'public, max-age=31536000, immutable' });
  return [block('/*', HEADERS), lasting, ...policies].join('\n');
}

const isWorker = (path) => /^assets\/([\w-]+-)?worker-[^/]+\.js$/.test(path);
