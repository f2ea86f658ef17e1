/** The built page on its own server: with or without headers, unchanged or modified, reachable or not. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { HEADERS, policyOf } from '../../scripts/policy.mjs';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

export interface Site {
  readonly url: string;
  /** The requested paths, in order. */
  readonly asked: string[];
  /** Responses by path that replace built files; null: not found. */
  readonly instead: Map<string, string | null>;
  /** The status of every response; null: unchanged. */
  status: number | null;
  /** Closes all connections and accepts no more, like a lost network. */
  close(): Promise<void>;
  /** Reachable again at the same address. */
  reopen(): Promise<void>;
}

export async function serveSite({ headers = true, port = 0 } = {}): Promise<Site> {
  const asked: string[] = [];
  const instead = new Map<string, string | null>();
  let status: number | null = null;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? 'index.html' : pathname.slice(1);
    asked.push(path);
    if (headers) {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      response.setHeader('content-security-policy', policyOf(path));
    }
    const given = instead.get(path);
    const body = given === undefined ? await readFile(join('dist', path)).catch(() => null) : given;
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    response.setHeader('cache-control', 'no-store');
    response.writeHead(status ?? (body === null ? 404 : 200)).end(body);
  });
  const listen = (at: number) =>
    new Promise<void>((ready) => server.listen(at, '127.0.0.1', ready));
  await listen(port);
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}/`,
    asked,
    instead,
    get status() {
      return status;
    },
    set status(given) {
      status = given;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
    reopen: () => listen(own),
  };
}
