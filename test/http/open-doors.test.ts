import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { hopHeader } from '../../src/rules/webhooks/url.ts';
import { routeTable } from '../support/routes.ts';
import { openHouse } from './house.ts';
import type { House } from './house.ts';
import type { Running } from './support.ts';
import type { OpenRoute } from '../../src/http/route.ts';
import { routeTable as ofWorld } from '../../src/features/route-table.ts';

let house: House;
let service: Running;
let isReady = true;
const other = (path: string, open: OpenRoute<unknown>['open']): OpenRoute<unknown> => ({
  audience: 'open',
  method: 'get',
  path,
  name: path,
  failures: 'json',
  open,
});
beforeAll(async () => {
  house = await openHouse();
  service = await house.run({
    readiness: () => ({ ready: isReady, parts: { store: isReady ? 'ok' : 'away' } }),
    metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'sends_total 1\n' }),
    routes: [
      ...ofWorld,
      other('/other', (_request, response) => void response.send('other')),
      other('/other/broken', () => Promise.reject(new Error('of another module'))),
    ],
  });
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

test('requests without a route are counted too: unknown path, wrong method, our own loop mark', async () => {
  const ended: [string, number][] = [];
  const counting = await house.run({ requestEnded: (route, status) => void ended.push([route, status]) });
  await counting.ask('/nothing');
  await counting.ask('/healthz', { method: 'POST' });
  await counting.ask('/healthz', { headers: { [hopHeader]: 'here' } });
  await counting.stop();
  expect(ended).toEqual([
    ['none', 404],
    ['none', 405],
    ['none', 400],
  ]);
});

describe('health', () => {
  test('/healthz: the process is alive', async () => {
    const answer = await service.ask('/healthz');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  });

  test('/readyz: able to serve, by part; 503 if not', async () => {
    isReady = true;
    const ready = await service.ask('/readyz');
    isReady = false;
    const notReady = await service.ask('/readyz');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready', parts: { store: 'ok' } }]);
    expect([notReady.status, notReady.body]).toEqual([
      503,
      { status: 'not_ready', parts: { store: 'away' }, detail: 'Not ready' },
    ]);
    expect((await service.ask('/healthz')).status).toBe(200);
  });

  test('/metrics: the metrics unchanged', async () => {
    const answer = await service.ask('/metrics');
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      200,
      'sends_total 1\n',
      'text/plain; version=0.0.4',
    ]);
  });
});

describe('routes of other modules', () => {
  test("are mounted next to the API's", async () => {
    expect((await service.ask('/other')).text).toBe('other');
  });

  test('and fail in the same way', async () => {
    const answer = await service.ask('/other/broken');
    expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal error' }]);
  });
});

describe('/openapi.json', () => {
  interface Document {
    openapi: string;
    servers: { url: string }[];
    paths: Record<
      string,
      Record<string, { operationId: string; responses: Record<string, unknown>; security: object[] }>
    >;
    components: { schemas: Record<string, object> };
  }
  const isDocument = (value: unknown): value is Document =>
    typeof value === 'object' && value !== null && 'paths' in value;
  let document: Document;
  let text: string;
  beforeAll(async () => {
    const answer = await service.ask('/openapi.json');
    if (!isDocument(answer.body)) throw new Error('no document');
    document = answer.body;
    text = answer.text;
  });

  test('is the OpenAPI 3.1 of this service', () => {
    expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: 'https://service.example' }]]);
  });

  test('describes every route with its answers and its authentication', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, security }]) => [
        method,
        path,
        operationId,
        security,
      ]),
    );
    const inContract = routeTable.filter(
      (route) => route.audience !== 'open' || route.contract !== undefined,
    );
    const schemeOf = { api: [{ apiKey: [] }], admin: [{ adminToken: [] }], open: [] };
    const expected = inContract.map(({ method, path, name, audience }) => [
      method,
      path,
      name,
      schemeOf[audience],
    ]);
    expect(new Set(described.map((one) => JSON.stringify(one)))).toEqual(
      new Set(expected.map((one) => JSON.stringify(one))),
    );
    expect(new Set(routeTable.map(({ name }) => name)).size).toBe(routeTable.length);
  });

  test('an API route with a body and an id can be described', () => {
    const statuses = Object.keys(document.paths['/api/v1/channels/{channel_id}']?.['patch']?.responses ?? {});
    expect(statuses).toEqual(['200', '401', '403', '404', '405', '413', '415', '422', '429', '500', '503']);
  });

  test('every reference resolves, and every schema compiles', () => {
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(names.filter((name) => name === undefined || !(name in document.components.schemas))).toEqual([]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'contract');
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ajv.validateSchema(schema)).toBe(true);
      expect(ajv.getSchema(`contract#/components/schemas/${name}`)).toBeDefined();
    }
  });

  test('[faults: I9] is serialized once: repeated requests cost only the bytes', async () => {
    await service.raw('GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const ask = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n';
    const written = jest.spyOn(JSON, 'stringify');
    try {
      const heard = await service.raw(`${`${ask}\r\n`.repeat(29)}${ask}Connection: close\r\n\r\n`);
      expect(heard.split('HTTP/1.1 200 ')).toHaveLength(31);
      expect(written.mock.results.some(({ value }) => value === text)).toBe(false);
    } finally {
      written.mockRestore();
    }
  });

  test('has no keywords of our own and no product names of the platform', () => {
    expect(text).not.toContain('"x-rule"');
    expect(text.toLowerCase()).not.toMatch(/whatsapp|instagram|messenger/);
  });
});

describe('/docs', () => {
  test('is one page that loads nothing from other hosts', async () => {
    const { status, text } = await service.ask('/docs');
    expect(status).toBe(200);
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  test('has nothing inline, and its policy admits only files of this service', async () => {
    const { text, headers } = await service.ask('/docs');
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).not.toContain('unsafe');
  });
});
