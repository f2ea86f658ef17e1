// A Vite plugin that delivers the page's policy: in the built page, in the file for static hosts, and in
// every response of the preview server, which is what `npm start` runs.
import { HEADERS, headersFile, metaPolicy, policyOf } from './policy.mjs';

export function pagePolicy() {
  return {
    name: 'page-policy',
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) =>
        bundle && [
          {
            tag: 'meta',
            attrs: { 'http-equiv': 'Content-Security-Policy', content: metaPolicy },
            injectTo: 'head-prepend',
          },
        ],
    },
    generateBundle(_, bundle) {
      this.emitFile({
        type: 'asset',
        fileName: '_headers',
        source: headersFile(Object.keys(bundle)),
      });
    },
    configurePreviewServer({ middlewares }) {
      middlewares.use(({ url = '/' }, response, next) => {
        const { pathname } = new URL(url, 'http://localhost');
        response.setHeader('Content-Security-Policy', policyOf(pathname));
        for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
        next();
      });
    },
  };
}
