/** [spec: Delivery status of a message, Status events; faults: 43-45, I8] */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  postAsUpstream,
  threadPost,
  eventsAbout,
} from '../support/events.ts';
import { acceptedEvents } from '../support/every-send.ts';
import { channelTypes, connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { World } from '../support/world.ts';
import type { ChannelType } from '../support/world.ts';

let world: World;
let channels: Channels;
beforeAll(async () => {
  world = await World.open();
  ({ channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

interface Sent {
  messageId: string;
  recipient: string;
  upstreamId: string;
}

/** A message that upstream accepted and for which it has sent no status yet. */
async function silentlySent(type: ChannelType, recipient = newPerson(type)): Promise<Sent> {
  await faultFor(world.simulator, recipient, { act: 'ok', silent: true });
  const { body } = await world.send(channels[type], 'hello', recipient);
  const copy = (await ledger(world.simulator, { recipient })).at(-1);
  return { messageId: body.message_id, recipient, upstreamId: copy?.id ?? '' };
}

/** Events that follow acceptance without a status of upstream. */
const acceptedCount = { photoapp: 1, pagechat: 0 } as const;

const tell = (status: Record<string, unknown>): Promise<{ answers: number[] }> =>
  world.simulator.control('statuses', { ...status, wait: true });

const names = (told: { event: string }[]): string[] => told.map(({ event }) => event);

describe('sent → delivered → read', () => {
  test.each(channelTypes)('%s: each status once, with message_id, status and recipient', async (type) => {
    const recipient = newPerson(type);
    const { body } = await world.send(channels[type], 'hello', recipient);
    await allEventsAbout(world, channels[type], recipient, acceptedEvents[type].length);
    await world.read(channels[type], recipient);
    const told = await allEventsAbout(world, channels[type], recipient, acceptedEvents[type].length + 1);
    expect(names(told)).toEqual([...acceptedEvents[type], 'message.read']);
    for (const { event, channel_id: channelId, channel_type: channelType, data } of told) {
      expect([channelId, channelType]).toEqual([channels[type].id, type]);
      expect(data).toEqual({
        message_id: body.message_id,
        status: event.slice('message.'.length),
        recipient,
      });
    }
  });

  test('chatapp: read before delivered, and duplicates of both: one event each', async () => {
    const { messageId, recipient, upstreamId } = await silentlySent('chatapp');
    for (const status of ['read', 'delivered', 'read', 'sent', 'delivered'])
      await tell({ id: upstreamId, status });
    const told = await allEventsAbout(world, channels.chatapp, recipient, 3);
    expect(new Set(names(told))).toEqual(new Set(['message.sent', 'message.read', 'message.delivered']));
    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ data }) => data['message_id']))).toEqual(new Set([messageId]));
  });

  test('pagechat: a read can arrive before the delivered of the same message', async () => {
    const { messageId, recipient, upstreamId } = await silentlySent('pagechat');
    await tell({ id: upstreamId, status: 'read', watermark: Date.now() + 1_000 });
    await tell({ id: upstreamId, status: 'delivered' });
    const told = await allEventsAbout(world, channels.pagechat, recipient, 2);
    expect(told.map(({ event, data }) => [event, data['message_id']])).toEqual([
      ['message.read', messageId],
      ['message.delivered', messageId],
    ]);
  });

  test('all statuses of upstream, in reverse order and twice: one event for each status of each message', async () => {
    const people = channelTypes.map((type) => ({ type, recipient: newPerson(type) }));
    await world.simulator.control('webhooks/hold', {});
    for (const { type, recipient } of people) {
      expect((await world.send(channels[type], 'hello', recipient)).body.status).toBe('sent');
      await ledger(world.simulator, {
        recipient,
        status: 'delivered',
        wait_ms: 2_000,
      });
    }
    await world.simulator.control('webhooks/flush', { order: 'reverse', batch: 3, duplicate: 1 });
    for (const { type, recipient } of people) {
      const told = await allEventsAbout(world, channels[type], recipient, acceptedEvents[type].length);
      expect(names(told).toSorted((a, b) => a.localeCompare(b))).toEqual(
        acceptedEvents[type].toSorted((a, b) => a.localeCompare(b)),
      );
    }
    expect(world.inbox.ofType('message.echo')).toEqual([]);
  });
});

describe('delivery failure (chatapp only) → message.failed', () => {
  test('error as a readable sentence, errors as upstream reports them', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, {
      act: 'fail_later',
      code: 131_047,
      title: 'Re-engagement message',
    });
    const { body } = await world.send(channels.chatapp, 'too late', recipient);
    expect(body.status).toBe('sent');
    const told = await allEventsAbout(world, channels.chatapp, recipient, 2);
    expect(names(told)).toEqual(['message.sent', 'message.failed']);
    expect(told[1]?.data).toEqual({
      message_id: body.message_id,
      status: 'failed',
      recipient,
      error: expect.stringContaining('24-hour'),
      errors: [{ code: 131_047, title: 'Re-engagement message' }],
    });
  });

  test('a failure after delivered makes one event, and a late delivered after it makes none', async () => {
    const { recipient, upstreamId } = await silentlySent('chatapp');
    for (const status of ['delivered', 'failed', 'delivered', 'failed'])
      await tell({ id: upstreamId, status, code: 131_026 });
    const told = await allEventsAbout(world, channels.chatapp, recipient, 3);
    expect(names(told)).toEqual(['message.sent', 'message.delivered', 'message.failed']);
  });
});

describe('read receipts on photoapp and pagechat are per conversation', () => {
  test.each(['photoapp', 'pagechat'] as const)(
    '%s: one message.read for each earlier unread message to that user, and none for others',
    async (type) => {
      const [reader, other] = [newPerson(type), newPerson(type)];
      const ids: string[] = [];
      for (const text of ['one', 'two', 'three'])
        ids.push((await world.send(channels[type], text, reader)).body.message_id);
      await world.send(channels[type], 'to somebody else', other);
      await allEventsAbout(world, channels[type], reader, 3);
      await world.read(channels[type], reader);
      await allEventsAbout(world, channels[type], reader, 6);
      const reads = () =>
        eventsAbout(world, channels[type], reader).filter(({ event }) => event === 'message.read');
      expect(reads().map(({ data }) => data['message_id'])).toEqual(ids);
      const later = (await world.send(channels[type], 'four', reader)).body.message_id;
      await allEventsAbout(world, channels[type], reader, 7);
      await world.read(channels[type], reader);
      await allEventsAbout(world, channels[type], reader, 8);
      expect(reads().map(({ data }) => data['message_id'])).toEqual([...ids, later]);
      expect(names(await allEventsAbout(world, channels[type], other, 1))).toEqual(['message.delivered']);
    },
  );

  const readOf = { photoapp: () => ({ mid: 'm_unknown' }), pagechat: (s: number) => ({ watermark: s }) };
  test.each(['photoapp', 'pagechat'] as const)(
    '%s: a receipt whose time is in seconds covers its whole second',
    async (type) => {
      const { upstream } = channels[type];
      const { messageId, recipient } = await silentlySent(type);
      const seconds = Math.floor(Date.now() / 1_000);
      const from = { sender: { id: recipient }, recipient: { id: upstream }, timestamp: seconds };
      const body = threadPost(type === 'photoapp' ? 'instagram' : 'page', upstream, [
        { ...from, read: readOf[type](seconds) },
      ]);
      expect(await postAsUpstream(world, body)).toBe(200);
      const told = await allEventsAbout(world, channels[type], recipient, acceptedCount[type] + 1);
      expect(told.at(-1)).toMatchObject({ event: 'message.read', data: { message_id: messageId } });
    },
  );

  test('chatapp has a status for each message', async () => {
    const reader = newPerson('chatapp');
    const [first] = [await silentlySent('chatapp', reader), await silentlySent('chatapp', reader)];
    await tell({ id: first.upstreamId, status: 'read' });
    const told = await allEventsAbout(world, channels.chatapp, reader, 3);
    const reads = told.filter(({ event }) => event === 'message.read');
    expect(reads.map(({ data }) => data['message_id'])).toEqual([first.messageId]);
  });

  test('a watermark over 2,000 messages: one message.read each', async () => {
    const reader = newPerson('pagechat');
    const patch = { echo_statuses: true, webhook_events: ['message.read'] };
    const { id, key, upstream } = channels.pagechat;
    const before = await world.service.call('GET', `/api/v1/channels/${id}`, { key });
    expect((await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body: patch })).status).toBe(
      200,
    );
    const at = Date.now();
    // Echoes of the inbox: upstream announces 2,000 of them in one POST, faster than 2,000 sends.
    const echoes = Array.from({ length: 2_000 }, (_, n) => ({
      sender: { id: upstream },
      recipient: { id: reader },
      timestamp: at,
      message: { mid: `m_many${n}`, is_echo: true, text: `n ${n}` },
    }));
    expect(await postAsUpstream(world, threadPost('page', upstream, echoes))).toBe(200);
    const read = {
      sender: { id: reader },
      recipient: { id: upstream },
      timestamp: at,
      read: { watermark: at },
    };
    expect(await postAsUpstream(world, threadPost('page', upstream, [read]))).toBe(200);
    const told = await allEventsAbout(world, channels.pagechat, reader, 2_000);
    expect(new Set(told.map(({ data }) => data['message_id'])).size).toBe(2_000);
    expect(new Set(names(told))).toEqual(new Set(['message.read']));
    expect(told).toHaveLength(2_000);
    const restored = { echo_statuses: false, webhook_events: before.body.webhook_events };
    await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body: restored });
  });
});

describe('a status of an unknown message', () => {
  test('is answered 200, stored, and makes no event', async () => {
    const stranger = newPerson('chatapp');
    const status = { channel: channels.chatapp.upstream, to: stranger, id: 'wamid.unknown', status: 'read' };
    expect((await tell(status)).answers).toEqual([200]);
    expect(await allEventsAbout(world, channels.chatapp, stranger, 0)).toEqual([]);
    const { body } = await world.service.admin('GET', `/channels/${channels.chatapp.id}`);
    expect(body.facts_held).toBe(1);
  });
});
