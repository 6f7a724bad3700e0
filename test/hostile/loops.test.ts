/** [faults: 90] Webhooks whose receiver is the service itself. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../support/ports.ts';
import { newAccount } from '../support/world.ts';
import { converse, target } from './support.ts';
import type { Target } from './support.ts';

let attacked: Target;
beforeAll(async () => {
  const port = String(await freePort());
  attacked = await target({ PORT: port, BASE_URL: `http://localhost:${port}` });
});
afterAll(() => attacked.close());

test.each(['GET /healthz', 'POST /upstream/webhooks', 'GET /nothing', 'POST /api/v1/messages/send'])(
  '%s: a request with our loop mark is refused, and the answer has the mark',
  async (start) => {
    const { statuses, heard } = await converse(
      attacked.port,
      `${start} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Trunkline-Hop: 1\r\n\r\n`,
    );
    expect(statuses).toEqual([400]);
    expect(heard).toMatch(/^x-trunkline-hop: 1\r$/m);
  },
);

test('a receiver that is this service is refused, also with a dot after its name', async () => {
  const { key } = await newAccount(attacked.service);
  const { port } = attacked;
  for (const host of ['localhost', 'localhost.']) {
    const answer = await attacked.service.call('POST', '/api/v1/channels/exchange-code', {
      key,
      body: { code: 'any', webhook_url: `http://${host}:${port}/x` },
    });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('must not point at this')]);
  }
});
