/** [operator-interface §2 ADMIN_HOST, ADMIN_PORT, METRICS] A separate listener for operators. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { freePort } from '../support/ports.ts';
import { adminToken, bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';

let simulator: Simulator;
let service: Service;
let operators: string;
beforeAll(async () => {
  const port = String(await freePort());
  operators = `http://127.0.0.1:${port}`;
  simulator = await bootSimulator(contractWorld);
  service = await bootService(simulator.url, { ADMIN_HOST: '127.0.0.1', ADMIN_PORT: port });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const headers = { authorization: `Bearer ${adminToken}` };
const atClients = (method: string, path: string): Promise<Answer> =>
  call(method, service.url + path, { headers });
const atOperators = (method: string, path: string, options = {}): Promise<Answer> =>
  call(method, operators + path, { headers, ...options });
const pathsOf = async (url: string): Promise<string[]> =>
  Object.keys((await call('GET', `${url}/openapi.json`)).body.paths);

describe('with ADMIN_HOST and ADMIN_PORT', () => {
  test("the admin API is on the operators' listener", async () => {
    expect((await atOperators('GET', '/admin/v1/nodes')).status).toBe(200);
    const body = { email: 'operated@example.com' };
    expect((await atOperators('POST', '/admin/v1/accounts', { body })).status).toBe(201);
  });

  test.each([
    ['GET', '/admin/v1/nodes'],
    ['POST', '/admin/v1/accounts'],
    ['POST', '/admin/v1/drain'],
    ['GET', '/metrics'],
  ])('%s %s does not exist on the public listener, with or without token', async (method, path) => {
    const { status, body } = await atClients(method, path);
    expect([status, body]).toEqual([404, { detail: 'Not found' }]);
  });

  test("/metrics is on the operators' listener", async () => {
    const { status, text } = await atOperators('GET', '/metrics');
    expect([status, text]).toEqual([200, expect.stringContaining('process_cpu_seconds_total')]);
  });

  test.each([
    '/api/v1/channels',
    '/upstream/webhooks',
    '/portal',
    '/setup/callback',
    '/live/socket.io/',
    '/',
  ])("the client route %s is not on the operators' listener", async (path) => {
    expect((await atOperators('GET', path)).status).toBe(404);
  });

  test("the console with its styles is on the operators' listener, not on the public one", async () => {
    const signIn = await atOperators('GET', '/operators/enter');
    expect([signIn.status, signIn.headers.get('set-cookie')]).toEqual([
      200,
      expect.not.stringContaining('Secure'),
    ]);
    const style = /href="(\/assets\/[^"]+)"/.exec(signIn.text)?.[1] ?? '';
    expect((await atOperators('GET', style)).status).toBe(200);
    expect((await atClients('GET', '/operators')).status).toBe(404);
    expect((await atClients('GET', '/operators/enter')).status).toBe(404);
  });

  test.each(['/healthz', '/readyz', '/favicon.ico'])('%s answers on both', async (path) => {
    expect([(await atClients('GET', path)).status, (await atOperators('GET', path)).status]).toEqual([
      200, 200,
    ]);
  });

  test("each listener's contract describes the routes of that listener", async () => {
    const [forClients, forOperators] = [await pathsOf(service.url), await pathsOf(operators)];
    expect(forClients.filter((path) => path.startsWith('/admin'))).toEqual([]);
    expect(forOperators.filter((path) => path.startsWith('/api'))).toEqual([]);
    expect(forOperators).toContain('/admin/v1/accounts');
  });

  test("wrong tokens are rate-limited on the operators' listener too", async () => {
    const guesses = Array.from({ length: 200 }, (_, n) =>
      atOperators('GET', '/admin/v1/nodes', {
        headers: { authorization: `Bearer guess-number-${n}-of-many` },
      }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});
