/** [spec: Message timeline] The history of a message: for its client, and for operators. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { connectAll, faultFor, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const ask = ({ id }: Channel, messageId: string, key = account.key) =>
  world.service.call('GET', `/api/v1/channels/${id}/messages/${messageId}`, { key });
const inspect = (messageId: string) => world.service.admin('GET', `/messages/${messageId}`);
const absent = crypto.randomUUID();

/** The timeline, once it fits. */
const timeline = (
  channel: Channel,
  messageId: string,
  fits: (found: Timeline) => boolean,
): Promise<Timeline> =>
  until('the timeline to fit', async () => {
    const { body } = await ask(channel, messageId);
    return fits(body) ? body : null;
  });

interface Timeline {
  created_at: string;
  state: string;
  status: string | null;
  statuses: { status: string; at: string }[];
  deliveries: { event: string; state: string }[];
}

const wordsOf = ({ statuses }: Timeline) => statuses.map(({ status }) => status);
const isTold =
  (event: string) =>
  ({ deliveries }: Timeline): boolean =>
    deliveries.some((delivery) => delivery.event === event && delivery.state === 'delivered');

describe('GET /api/v1/channels/{channel_id}/messages/{message_id}', () => {
  test('a message that was read: state, statuses, copies and upstream id, each with its time', async () => {
    const recipient = newPerson('chatapp');
    const { body: sent } = await world.send(channels.chatapp, 'hello', recipient);
    await world.inbox.event('message.delivered', sent.message_id);
    await world.read(channels.chatapp, recipient);
    const found = await timeline(channels.chatapp, sent.message_id, isTold('message.read'));
    expect(found).toEqual({
      message_id: sent.message_id,
      channel_id: channels.chatapp.id,
      channel_type: 'chatapp',
      origin: 'service',
      recipient,
      state: 'sent',
      status: 'read',
      created_at: isoTime,
      statuses: [
        { status: 'sent', at: isoTime },
        { status: 'delivered', at: isoTime },
        { status: 'read', at: isoTime },
      ],
      copies: [{ at: isoTime, ended_at: isoTime, outcome: 'accepted' }],
      upstream_ids: [expect.stringMatching(/^wamid\./)],
      next_try_at: null,
      error: null,
      error_code: null,
      deliveries: expect.any(Array),
    });
    const events = found.deliveries.map(({ event }) => event);
    expect(events.toSorted()).toEqual(['message.delivered', 'message.read', 'message.sent']);
    const times = [found.created_at, ...found.statuses.map(({ at }) => at)];
    expect(times).toEqual(times.toSorted());
  });

  test('photoapp: its own sends are delivered when upstream accepts them', async () => {
    const { body: sent } = await world.send(channels.photoapp, 'hello', newPerson('photoapp'));
    const { body } = await ask(channels.photoapp, sent.message_id);
    expect([body.status, wordsOf(body)]).toEqual(['delivered', ['sent', 'delivered']]);
  });

  test('a message that upstream refused: failed with its reason, no copy', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131026 });
    const { body: failed } = await world.send(channels.chatapp, 'hello', recipient);
    const { body } = await ask(channels.chatapp, failed.message_id);
    expect(body).toMatchObject({ state: 'failed', status: 'failed', copies: [], upstream_ids: [] });
    expect(body).toMatchObject({ error: failed.error, error_code: 131026, next_try_at: null });
    expect(wordsOf(body)).toEqual(['failed']);
  });

  test('a message that waits for a retry: queued, with the reason and the next time', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131056, times: 1 });
    const { body: queued } = await world.send(channels.chatapp, 'hello', recipient);
    const { body } = await ask(channels.chatapp, queued.message_id);
    expect(body).toMatchObject({ state: 'queued', status: null, statuses: [], copies: [] });
    expect(body).toMatchObject({ next_try_at: isoTime, error_code: 131056 });
    const found = await timeline(channels.chatapp, queued.message_id, ({ state }) => state === 'sent');
    expect(found).toMatchObject({ error: null, error_code: null, next_try_at: null });
    expect(found).toMatchObject({ copies: [{ outcome: 'accepted' }] });
  });

  test('a message that upstream accepts and later fails to deliver has the reason', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'fail_later', code: 131049 });
    const { body: sent } = await world.send(channels.chatapp, 'hello', recipient);
    const found = await timeline(channels.chatapp, sent.message_id, ({ status }) => status === 'failed');
    expect(found).toMatchObject({ state: 'sent', error_code: 131049 });
    expect(wordsOf(found)).toContain('failed');
  });

  test('an echo has a timeline while `echo_statuses` is on', async () => {
    const channel = channels.pagechat;
    const settings = { body: { echo_statuses: true }, key: account.key };
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, settings);
    await world.simulator.control('business/write', {
      channel: channel.upstream,
      to: newPerson('pagechat'),
      text: 'by hand',
      wait: true,
    });
    const { event } = await world.inbox.event('message.echo');
    const { body } = await ask(channel, String(event.data['message_id']));
    expect(body).toMatchObject({ origin: 'echo', state: 'sent', status: 'sent', copies: [] });
  });

  test('an unknown id, an id of another channel or account, and a malformed id are 404', async () => {
    const { body: sent } = await world.send(channels.chatapp, 'hello', newPerson('chatapp'));
    const stranger = await newAccount(world.service);
    for (const answer of [await ask(channels.chatapp, absent), await ask(channels.pagechat, sent.message_id)])
      expect([answer.status, answer.body.detail]).toEqual([
        404,
        'Message not found: only what was sent through this service has a timeline',
      ]);
    for (const answer of [
      await ask(channels.chatapp, 'wamid.abc'),
      await ask(channels.chatapp, `${sent.message_id}%00`),
    ])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Message not found' }]);
    const foreign = await ask(channels.chatapp, sent.message_id, stranger.key);
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Channel not found' }]);
  });
});

describe('npm run admin -- message ID', () => {
  test('shows every upstream call with its answer and the deliveries, but no content of the message', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131056, times: 1 });
    const { body: queued } = await world.send(channels.chatapp, 'a secret wish', recipient);
    await timeline(channels.chatapp, queued.message_id, isTold('message.delivered'));
    const { status, body, text } = await inspect(queued.message_id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      message_id: queued.message_id,
      account_id: account.accountId,
      state: 'sent',
      copies: 1,
      calls: [
        { at: isoTime, ended_at: isoTime, outcome: 'deferred', error_code: 131056 },
        { at: isoTime, ended_at: isoTime, outcome: 'accepted', error: null, trace_id: null },
      ],
    });
    expect(body.calls[0].error).toContain('Too many messages');
    expect(body.calls[0].trace_id).toMatch(/^\w+$/);
    expect(body.deliveries.length).toBeGreaterThan(0);
    expect(text).not.toContain('a secret wish');
  });

  test('an unknown id is 404', async () => {
    expect((await inspect(absent)).status).toBe(404);
    expect((await inspect('nonsense')).status).toBe(404);
  });
});
