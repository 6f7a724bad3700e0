/** [contract: Additions] A received message is marked as read, and typing is shown, by a call that waits for upstream. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { allEventsAbout } from '../support/events.ts';
import { channelTypes, connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

const unknown = '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f';

function signal(channel: Channel, id: string, what: 'read' | 'typing'): Promise<Answer> {
  return world.service.call('POST', `/api/v1/messages/${id}/${what}`, {
    key: channel.key,
    body: { channel_id: channel.id },
  });
}

/** Writes as a person; returns our id of the message and upstream's. */
async function written(channel: Channel, from: string): Promise<{ id: string; upstreamId: string }> {
  const { id: upstreamId } = await world.write(channel, { text: 'open?' }, from);
  const [received] = await allEventsAbout(world, channel, from, 1);
  return { id: String(received?.data['message_id']), upstreamId };
}

async function shownTo(person: string): Promise<{ id: string | null; actions: string[] }[]> {
  const { signals } = await world.simulator.control(`signals?person=${person}`);
  return signals.map(({ id, actions }: { id: string | null; actions: string[] }) => ({ id, actions }));
}

const shown: Record<ChannelType, Record<'read' | 'typing', string[]>> = {
  chatapp: { read: ['read'], typing: ['read', 'typing'] },
  photoapp: { read: ['mark_seen'], typing: ['typing_on'] },
  pagechat: { read: ['mark_seen'], typing: ['typing_on'] },
};

describe.each(channelTypes)('%s', (type) => {
  test.each(['read', 'typing'] as const)('%s reaches upstream each time that it is asked', async (what) => {
    const person = newPerson(type);
    const { id, upstreamId } = await written(channels[type], person);
    const answers = [await signal(channels[type], id, what), await signal(channels[type], id, what)];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, '{"success":true}'],
      [200, '{"success":true}'],
    ]);
    const one = { id: type === 'chatapp' ? upstreamId : null, actions: shown[type][what] };
    expect(await shownTo(person)).toEqual([one, one]);
  });
});

describe('is refused', () => {
  const reason = ({ status, body }: Answer) => [
    status,
    body.detail.code,
    body.detail.field,
    body.detail.reason,
  ];

  test('a message that nobody knows, or of another channel', async () => {
    const { id } = await written(channels.pagechat, newPerson('pagechat'));
    const answers = [
      await signal(channels.chatapp, unknown, 'read'),
      await signal(channels.chatapp, 'wamid.1', 'typing'),
      await signal(channels.chatapp, id, 'read'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('a message that was sent', async () => {
    const sent = await world.send(channels.chatapp, 'first', newPerson('chatapp'));
    expect(reason(await signal(channels.chatapp, sent.body.message_id, 'read'))).toEqual([
      400,
      'unknown_message',
      'message_id',
      'not_received',
    ]);
  });

  test.each([
    ['for good', 551, 400],
    ['for now', 613, 429],
    ['without a known reason', 987654, 502],
  ])('by upstream %s', async (_, code, status) => {
    const { id } = await written(channels.pagechat, newPerson('pagechat'));
    const match = { path: `${channels.pagechat.upstream}/messages`, method: 'POST' };
    await world.simulator.control('faults', { match, act: 'refuse', code, times: 1 });
    expect((await signal(channels.pagechat, id, 'typing')).status).toBe(status);
  });
});
