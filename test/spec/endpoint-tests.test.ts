/** [spec: Additions, Endpoints; faults: 368] Test events to an endpoint of a channel. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Inbox } from '../support/inbox.ts';
import { newBusiness } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { openTwoReceivers } from '../support/two-receivers.ts';

const world = sharedWorld();
let own: Inbox;
let crm: Inbox;
let channel: Channel;
beforeEach(async () => {
  ({ own, crm, channel } = await openTwoReceivers(world));
});
afterEach(() => Promise.all([own.close(), crm.close()]));

const call = (method: string, path: string, body?: object, key = channel.key) =>
  world.service.call(method, `/api/v1/channels/${channel.id}${path}`, { key, body });
async function add(more: object = {}): Promise<{ id: string; secret: string }> {
  return (await call('POST', '/endpoints', { url: crm.url, events: [], ...more })).body;
}
const tested = (id: string, key?: string) => call('POST', `/endpoints/${id}/test`, undefined, key);

test('one goes to its address, signed with its secret, with its headers, and to nobody else', async () => {
  const { id, secret } = await add({ headers: { Authorization: 'Bearer abcdef' } });
  const { status, body } = await tested(id);
  const [arrival] = await crm.next(1);
  expect([status, body]).toEqual([
    200,
    {
      success: true,
      delivery_id: arrival?.headers['x-webhook-id'],
      status_code: 200,
      duration_ms: expect.any(Number),
      error: null,
    },
  ]);
  const mac = createHmac('sha256', secret)
    .update(arrival?.raw ?? '')
    .digest('hex');
  expect(arrival?.headers).toMatchObject({
    authorization: 'Bearer abcdef',
    'x-webhook-signature': `sha256=${mac}`,
  });
  const { id: channel_id, type: channel_type } = channel;
  expect(arrival?.event).toMatchObject({ event: 'webhook.test', channel_id, channel_type, data: {} });
  expect(own.arrivals).toEqual([]);
});

test('one that fails is a result, is never retried, and is in the log of its endpoint alone', async () => {
  const { id } = await add();
  crm.answerNext(418);
  const { body } = await tested(id);
  expect(body).toMatchObject({ success: false, status_code: 418, error: 'status' });
  const ofEndpoint = await call('GET', `/deliveries?endpoint_id=${id}`);
  expect(ofEndpoint.body.deliveries).toMatchObject([
    { id: body.delivery_id, endpoint_id: id, event: 'webhook.test', state: 'failed', can_retry: false },
  ]);
  expect((await call('GET', '/deliveries')).body.deliveries).toEqual([]);
  expect((await call('POST', `/deliveries/${body.delivery_id}/retry`)).status).toBe(409);
  expect(crm.arrivals).toHaveLength(1);
});

test('a disabled endpoint gets one, too', async () => {
  const { id } = await add({ is_enabled: false });
  expect((await tested(id)).body.success).toBe(true);
  expect((await call('GET', `/endpoints/${id}`)).body.disabled_at).not.toBeNull();
});

test('ten a minute of an account, together with those of webhook_url; then 429', async () => {
  const [one, two] = [await add(), await add()];
  for (let n = 0; n < 4; n += 1) {
    expect((await tested(one.id)).status).toBe(200);
    expect((await call('POST', '/webhook/test')).status).toBe(200);
  }
  expect([(await tested(two.id)).status, (await tested(two.id)).status]).toEqual([200, 200]);
  const { status, headers } = await tested(two.id);
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(crm.arrivals).toHaveLength(6);
});

test.each(['x', '%00', crypto.randomUUID()])('of %s, which is no endpoint: 404', async (id) => {
  const { status, body } = await tested(id);
  expect([status, body]).toEqual([404, { detail: 'Endpoint not found' }]);
});

test('an endpoint of another account or channel gets none: 404', async () => {
  const { id } = await add();
  const stranger = await newAccount(world.service);
  expect((await tested(id, stranger.key)).body).toEqual({ detail: 'Channel not found' });
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  const other = await world.connect(stranger, 'pagechat', { upstream });
  const path = `/api/v1/channels/${other.id}/endpoints/${id}/test`;
  const { body } = await world.service.call('POST', path, { key: other.key });
  expect(body).toEqual({ detail: 'Endpoint not found' });
  expect(crm.arrivals).toEqual([]);
});

test('a url that is none is refused by the name of its field', async () => {
  const { status, body } = await call('POST', '/endpoints', { url: 'ftp://crm.example', events: [] });
  expect([status, body.detail]).toEqual([
    422,
    [{ loc: ['body', 'url'], msg: expect.stringMatching(/^Value error, url must /), type: 'value_error' }],
  ]);
});
