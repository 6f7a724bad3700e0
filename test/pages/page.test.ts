import type { Stores } from '../../src/features/stores.ts';
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BodyBudget } from '../../src/http/middleware/body-budget.ts';
import { makeCsrfToken, readCookie, setCookie } from '../../src/pages/session/cookies.ts';
import { readForm } from '../../src/pages/forms/form.tsx';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { openHouse } from '../http/house.ts';
import type { House } from '../http/house.ts';
import { asOperator, someId } from '../http/support.ts';
import type { Running } from '../http/support.ts';
import { aPerson } from '../stores/conformance/samples.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import type { World } from '../../src/features/world.ts';
import { silentLog } from '../support/silent-log.ts';
import { listening } from '../support/ports.ts';

const packing = join(import.meta.dirname, '../../config/pack.mjs');

/** The bytes on the wire: fetch would decompress them. */
function raw(url: URL, accepts: string): Promise<[http.IncomingHttpHeaders, Buffer]> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': accepts };
    const asked = http.get(url, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
      answer.on('end', () => resolve([answer.headers, Buffer.concat(chunks)]));
    });
    asked.on('error', reject);
  });
}

let house: House;
let service: Running;
beforeAll(async () => {
  execFileSync(process.execPath, [packing]);
  house = await openHouse();
  service = await house.run();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await house.close();
});

/** A listener over the same world, whose store is partly another. */
function runOver(over: Partial<Stores>, given: Partial<ServerOptions<World>> = {}): Promise<Running> {
  const { world } = house;
  return house.run({ ...given, world: { ...world, stores: { ...world.stores, ...over } } });
}

describe('files of pages', () => {
  const linksOf = (html: string): string[] =>
    [...html.matchAll(/(?:src|href)="(\/assets[^"]+)"/g)].map(String);
  const paths = async (page: string): Promise<string[]> =>
    linksOf((await service.ask(page)).text).map((match) => match.split(',').at(-1) ?? '');

  test.each(['/portal/sign-in', '/docs', '/setup/callback'])(
    '%s: every file that the page names exists, and is cached for ever',
    async (page) => {
      const found = await paths(page);
      expect(found).not.toEqual([]);
      for (const path of found) {
        const { status, headers } = await service.ask(path);
        expect([path, status]).toEqual([path, 200]);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  test('a client file is whole: a page loads one script and one style sheet', async () => {
    const [script = ''] = (await paths('/docs')).map((path) => path.replace(/[^/]+$/, 'watch.js'));
    const { text, headers } = await service.ask(script);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).not.toMatch(/\bimport\b/);
    const styles = await service.ask(script.replace('watch.js', 'portal.css'));
    expect([styles.status, /@import/.test(styles.text)]).toEqual([200, false]);
  });

  test.each([
    ['br', 'gzip, br;q=0.9', brotliDecompressSync],
    ['gzip', 'br;q=0, GZIP', gunzipSync],
    [null, 'identity', (bytes: Buffer) => bytes],
    [null, '', (bytes: Buffer) => bytes],
  ] as const)(
    'a file is compressed with an encoding that the browser accepts: %s',
    async (coding, accepts, open) => {
      const script = (await paths('/docs')).find((path) => path.endsWith('swagger-ui-bundle.js')) ?? '';
      const [headers, body] = await raw(new URL(script, `http://127.0.0.1:${service.port}`), accepts);
      expect([headers['content-encoding'] ?? null, headers.vary]).toEqual([coding, 'Accept-Encoding']);
      expect(open(body).toString()).toBe((await service.ask(script)).text);
      if (coding !== null) expect(body.length).toBeLessThan(500_000);
    },
  );

  test("another version's file name serves the present file, without caching", async () => {
    const answer = await service.ask('/assets/0000000000000000/portal.css');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  test('the icon of a page is our own file, and so are the ones that browsers ask for by default', async () => {
    const { text } = await service.ask('/portal/sign-in');
    const [, icon = ''] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(text) ?? [];
    expect(icon).toMatch(/^\/assets\/[0-9a-f]{16}\/mark\.svg$/);
    for (const [path, kept] of [
      [icon, 'public, max-age=31536000, immutable'],
      ['/favicon.ico', 'public, max-age=86400'],
    ] as const) {
      const { status, headers, text: file } = await service.ask(path);
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        200,
        'image/svg+xml',
        kept,
      ]);
      expect(file).toMatch(/^<svg /);
    }
  });

  test.each(['nothing.js', '..%2Fassets.ts', '%2e%2e%2fpackage.json', '__proto__', 'constructor'])(
    'no other file is served: %s',
    async (name) => {
      expect((await service.ask(`/assets/x/${name}`)).status).toBe(404);
    },
  );
});

test('while the store is down the answer is not a rate limit', async () => {
  const find = () => Promise.reject(new StoreUnavailable('no primary'));
  const { ask, stop } = await runOver({ passes: { ...house.stores.passes, find } });
  const { status, text } = await ask(`/portal/invitation?token=${'x'.repeat(43)}`);
  await stop();
  expect([status, text]).toEqual([503, expect.stringContaining('Something on our side did not work')]);
});

test('a form that fails on our side says that it may have been done', async () => {
  const byEmail = () => Promise.reject(new StoreUnavailable('no primary'));
  const { ask, stop } = await runOver({ people: { ...house.stores.people, byEmail } });
  const { headers } = await ask('/portal/sign-in');
  const [, visit = ''] = /trunkline_visit=([\w-]{43})/.exec(headers.get('set-cookie') ?? '') ?? [];
  const { status, text } = await ask('/portal/sign-in', {
    method: 'POST',
    headers: {
      cookie: `__Host-trunkline_visit=${visit}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      csrf: makeCsrfToken(visit),
      email: 'a@example.com',
      password: 'x',
    }).toString(),
  });
  await stop();
  expect([status, text]).toEqual([503, expect.stringContaining('may have been done or not')]);
});

test("a stranger's name shows the characters that would reorder it [faults: 323]", async () => {
  const { stores, features } = house;
  const name = 'Shop\u202epohs\u001b[2J';
  const { account } = await features.createAccount({ email: 'shop@example.com', name, tier: null });
  const invited = aPerson({ accountId: account.id, confirmedAt: null, passwordHash: null });
  await stores.people.insert(invited);
  const { link } = await features.makeInvitationLink(invited.id);
  const { text } = await service.ask(link.replace('https://service.example', ''));
  expect(text).toContain('Shop[U+202E]pohs[U+001B][2J');
});

test('an export that fails half way ends its connection, and the log has its failure', async () => {
  const lines: string[] = [];
  const log = { ...silentLog, error: (_fields: object, message: string) => void lines.push(message) };
  const list: Stores['audit']['list'] = async (_filter, { cursor }) => {
    if (cursor !== null) throw new Error('a mistake of ours');
    return { items: [], nextCursor: { createdAt: 1, id: someId } };
  };
  const { ask, stop } = await runOver({ audit: { ...house.stores.audit, list } }, { log });
  const outcome = await ask('/operators/audit/export', { headers: asOperator }).catch(() => 'broken off');
  await stop();
  expect(outcome).toBe('broken off');
  expect(lines).toEqual(['http.unforeseen']);
});

describe('a posted form', () => {
  let server: http.Server;
  let url: string;
  beforeAll(async () => {
    server = http.createServer((request, response) => {
      readForm({ request, csrf: 'the-token', bodyBudget: BodyBudget.forAnonymous() }).then(
        (form) => response.end(JSON.stringify([form.text('name'), form.exact('name')])),
        (error: { status: number }) => response.writeHead(error.status).end(),
      );
    });
    url = `http://127.0.0.1:${await listening(server)}`;
  });
  afterAll(() => void server.close());
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': type } });

  test("is accepted with its page's CSRF token", async () => {
    const answer = await post('csrf=the-token&name=+Mia+');
    expect(await answer.json()).toEqual(['Mia', ' Mia ']);
  });

  test.each([
    ['without a token', 'name=Mia'],
    ['with another', 'csrf=other&name=Mia'],
    ['with an empty one', 'csrf=&name=Mia'],
    ['with two', 'csrf=the-token&csrf=the-token&name=Mia'],
  ])('is refused %s', async (_name, body) => {
    expect((await post(body)).status).toBe(400);
  });

  test('with a repeated field has no value for it', async () => {
    expect(await (await post('csrf=the-token&name=a&name=b')).json()).toEqual(['', '']);
  });

  test('of another content type is refused, because a foreign page can make a browser send text/plain', async () => {
    expect((await post('csrf=the-token', 'text/plain')).status).toBe(415);
  });

  test('has a maximal size', async () => {
    expect((await post(`csrf=the-token&name=${'x'.repeat(70_000)}`)).status).toBe(413);
  });
});

describe('the session’s cookie [faults: 404]', () => {
  const given = (baseUrl: string) => {
    const response = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    setCookie(response, baseUrl, 'session', { text: 'x'.repeat(43), maxAgeSeconds: 60 });
    return [response.getHeader('set-cookie') ?? []].flat().map(String);
  };
  const pathsOf = (cookies: string[]) =>
    cookies.map((cookie) => / Path=([^;]+).* Max-Age=(\d+)/.exec(cookie)?.slice(1).join(' '));

  test.each([
    ['http://trunk.example', ['/portal 0', '/ 60']],
    ['https://trunk.example', ['/ 60']],
    ['https://trunk.example/below', ['/below/portal 0', '/below/ 60']],
  ])('is for all paths of %s, and ends one that was for the portal alone', (baseUrl, paths) => {
    expect(pathsOf(given(baseUrl))).toEqual(paths);
  });

  test('counts as none if a browser has two of it', () => {
    const request = new http.IncomingMessage(new Socket());
    const [cookie = ''] = (given('http://trunk.example').at(-1) ?? '').split(';');
    request.headers = { cookie };
    expect(readCookie(request, 'http://trunk.example', 'session')).toBe('x'.repeat(43));
    request.headers = { cookie: `${cookie}; ${cookie}` };
    expect(readCookie(request, 'http://trunk.example', 'session')).toBe('');
  });
});
