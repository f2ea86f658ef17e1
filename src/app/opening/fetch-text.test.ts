import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { fetchText } from './fetch-text';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server with a single response; resolves to its address. */
async function serving(answer: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, host, ready));
  return `http://${host}:${(server.address() as AddressInfo).port}/home.json`;
}

const LIMITS = { bytes: 1 << 20, seconds: 20 };

describe('a text is fetched', () => {
  test('unchanged, also when a letter is split between chunks', async () => {
    const letters = Buffer.from('{"title": "µs"}');
    const url = await serving((_, response) => {
      response.write(letters.subarray(0, 12));
      setTimeout(() => response.end(letters.subarray(12)), 20);
    });
    expect(await fetchText(url, LIMITS)).toEqual({ text: '{"title": "µs"}' });
  });

  test('without cookies or referrer', async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    const url = await serving((request, response) => {
      headers = request.headers;
      response.end('{}');
    });
    await fetchText(url, LIMITS);
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('referer');
  });
});

describe('a text is not fetched', () => {
  test('past the limit, and the server notices', async () => {
    let sent = 0;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const url = await serving((_, response) => {
      const piece = Buffer.alloc(1 << 16, 0x20);
      const more = () => {
        sent += piece.length;
        if (response.write(piece)) setImmediate(more);
        else response.once('drain', more);
      };
      response.on('close', end);
      more();
    });
    expect(await fetchText(url, LIMITS)).toEqual({ refused: 'It is larger than 1\u00a0MiB.' });
    await ended;
    expect(sent).toBeLessThan(64 << 20);
  });

  test('if the server announces that it is too large', async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { 'content-length': 3e9 }).flushHeaders();
    });
    expect(await fetchText(url, LIMITS)).toEqual({ refused: 'It is larger than 1\u00a0MiB.' });
  });

  test('after some seconds, before or during the response', async () => {
    const silent = await serving(() => {});
    const slow = await serving((_, response) => void response.write('{'));
    const sentence = { refused: 'It did not arrive within 1\u00a0second.' };
    expect(await fetchText(silent, { ...LIMITS, seconds: 1 })).toEqual(sentence);
    expect(await fetchText(slow, { ...LIMITS, seconds: 1 })).toEqual(sentence);
  });

  test('from a host that the user was not asked about', async () => {
    const elsewhere = await serving((_, response) => response.end('{}'), '127.0.0.2');
    const url = await serving((_, response) =>
      response.writeHead(302, { location: elsewhere }).end(),
    );
    const { host } = new URL(elsewhere);
    expect(await fetchText(url, LIMITS)).toEqual({
      refused: `It redirects to another host, ${host}.`,
    });
  });

  test('if the file or the server does not exist', async () => {
    const url = await serving((_, response) => response.writeHead(404).end());
    expect(await fetchText(url, LIMITS)).toEqual({ refused: 'The server answered 404.' });
    expect(await fetchText('http://127.0.0.1:9/x', LIMITS)).toEqual({
      refused: 'The server cannot be reached, or does not let other sites read the file.',
    });
  });
});
