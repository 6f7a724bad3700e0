/** [operator-interface §4: X-Request-Id] Every call to upstream carries the id of the request that caused it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openRecordedWorld } from '../support/passing.ts';
import type { UpstreamRecorder, RecordedCall } from '../support/passing.ts';
import { draft } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { asset, newAccount, person, setupCode, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
let upstream: UpstreamRecorder;
let channel: Channel;
beforeAll(async () => {
  ({ world, channel, upstream } = await openRecordedWorld());
});
afterAll(async () => {
  await world.close();
  upstream.close();
});

/** The calls to upstream with their request ids, while this runs. */
async function callsOf(work: () => Promise<unknown>, like = /./, least = 1): Promise<RecordedCall[]> {
  const from = upstream.calls.length;
  await work();
  return until('upstream to be asked', () => {
    const seen = upstream.calls.slice(from).filter(({ call }) => like.test(call));
    return seen.length >= least && seen;
  });
}
const ask = (method: string, path: string, id: string, body?: unknown) =>
  world.service.call(method, path, { key: channel.key, body, headers: { 'x-request-id': id } });

test.each([
  ['templates are listed', 'GET', () => `/api/v1/channels/${channel.id}/templates`],
  ['health is looked at', 'GET', () => `/api/v1/channels/${channel.id}/health`],
])('the calls to upstream carry the id of the request: %s', async (_, method, path) => {
  const calls = await callsOf(() => ask(method, path(), 'look-1'));
  expect(new Set(calls.map(({ id }) => id))).toEqual(new Set(['look-1']));
});

test('a template is created, changed and deleted', async () => {
  const { created, ...rest } = await templateLife();
  expect(created.status).toBe(201);
  expect(rest).toEqual({ made: 'make-1', edited: 'edit-1', removed: 'drop-1' });
});

async function templateLife() {
  const path = `/api/v1/channels/${channel.id}/templates`;
  let created = { status: 0, body: { id: '', meta_template_id: '' } };
  const idOf = (calls: RecordedCall[]): string => [...new Set(calls.map(({ id }) => id))].join();
  const making = await callsOf(async () => {
    created = await ask('POST', path, 'make-1', draft('autumn_sale_1'));
  });
  const one = `${path}/${created.body.id}`;
  await world.simulator.control(`templates/${created.body.meta_template_id}`, { event: 'REJECTED' });
  await until('the template to be rejected', async () => {
    return (await ask('GET', one, 'x')).body.status === 'REJECTED';
  });
  const editing = await callsOf(() => ask('PUT', one, 'edit-1', { components: draft('x').components }));
  const removing = await callsOf(() => ask('DELETE', one, 'drop-1'));
  return { created, made: idOf(making), edited: idOf(editing), removed: idOf(removing) };
}

test('a sender profile is read', async () => {
  const page = await world.connect({ key: channel.key }, 'pagechat');
  const calls = await callsOf(() =>
    ask('GET', `/api/v1/channels/${page.id}/profile/${person.pagechat}`, 'who-1'),
  );
  expect(calls.map(({ id }) => id)).toEqual(['who-1']);
  const ending = await callsOf(() => ask('DELETE', `/api/v1/channels/${page.id}`, 'gone-1'), /^DELETE/);
  expect(ending.map(({ id }) => id)).toEqual(['gone-1']);
});

test('a file is looked up and fetched under the id of the webhook POST that announced it', async () => {
  const calls = await callsOf(() => world.write(channel, { type: 'image' }), /./, 2);
  const received = await until('the event', () =>
    world.inbox.arrivals.find(({ event }) => event.event === 'message.received' && event.data['media']),
  );
  const told = received.headers['x-request-id'];
  expect(calls.map(({ id }) => id)).toEqual(calls.map(() => told));
});

// The app's own webhooks are no part of a request.
const ofChannels = /^(?!\w+ \/\*\/subscriptions)/;

test("connecting: the exchange of the dialog's code, the subscription, and its removal", async () => {
  const account = await newAccount(world.service);
  let code = '';
  const dialog = await callsOf(async () => {
    code = await setupCode(world.service, world.simulator, account.key, 'photoapp', asset.photoapp);
  });
  // One request of a browser: one id for all its calls to upstream.
  expect(dialog.length).toBeGreaterThan(1);
  expect(new Set(dialog.map(({ id }) => id)).size).toBe(1);
  const as = (id: string) => ({ key: account.key, headers: { 'x-request-id': id } });
  let channelId = '';
  const exchanging = await callsOf(async () => {
    const answer = await world.service.call('POST', '/api/v1/channels/exchange-code', {
      ...as('exchange-1'),
      body: { code },
    });
    channelId = answer.body.channel_id;
  }, ofChannels);
  expect(new Set(exchanging.map(({ id }) => id))).toEqual(new Set(['exchange-1']));
  const ending = await callsOf(
    () => world.service.call('DELETE', `/api/v1/channels/${channelId}`, as('goodbye-1')),
    /^DELETE/,
  );
  expect(new Set(ending.map(({ id }) => id))).toEqual(new Set(['goodbye-1']));
});

test('calls without a causing request have an id too', () => {
  expect(upstream.calls.filter(({ id }) => id === undefined)).toEqual([]);
});
