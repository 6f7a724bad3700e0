/** [faults: 42, 52; architecture §5 "our id seen in any upstream event"] A late event of upstream still finds its message. */
import { describe, expect, test } from '@jest/globals';
import { allEventsAbout, phonePost, quiet, postAsUpstream } from '../support/events.ts';
import { faultFor, fired, ledger, mailsOf, newPerson } from '../support/sends.ts';
import { connectOwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';

const world = sharedWorld({
  // Long enough that upstream's events come before the second copy on a busy machine too.
  SEND_QUEUED_AFTER_MS: '1000',
  SEND_RESEND_AFTER_MS: '4000',
  SEND_GIVE_UP_AFTER_MS: '12000',
});

describe('a conversation that is read while a send to it is in flight', () => {
  test.each(['photoapp', 'pagechat'] as const)(
    '%s: the read covers the send once its answer has come',
    async (type) => {
      const { channel } = await connectOwnAsset(world, type);
      const recipient = newPerson(type);
      await faultFor(world.simulator, recipient, { act: 'ok', early: true, delay_ms: 0 });
      const first = (await world.send(channel, 'one', recipient)).body.message_id;
      await faultFor(world.simulator, recipient, { act: 'lost' });
      const second = await world.send(channel, 'two', recipient);
      expect(second.body.status).toBe('queued');
      await world.read(channel, recipient);
      const reads = await until('two reads', async () => {
        await quiet(world, channel);
        const told = world.inbox
          .ofType('message.read')
          .filter(({ event }) => event.data['recipient'] === recipient);
        return told.length === 2 ? told : null;
      });
      expect(new Set(reads.map(({ event }) => event.data['message_id']))).toEqual(
        new Set([first, second.body.message_id]),
      );
    },
  );
});

describe('photoapp, where only the text identifies a lost message', () => {
  test('two lost messages with the same text are both confirmed by their two echoes', async () => {
    const { account, channel } = await connectOwnAsset(world, 'photoapp');
    const recipient = newPerson('photoapp');
    await faultFor(world.simulator, recipient, { act: 'lost', times: 2 });
    const sends = [
      await world.send(channel, 'same', recipient),
      await world.send(channel, 'same', recipient),
    ];
    const ids = sends.map(({ body }) => body.message_id);
    for (const id of ids) await world.inbox.event('message.delivered', id);
    expect(await ledger(world.simulator, { recipient, at_least: 3, wait_ms: 4_500 })).toHaveLength(2);
    expect(world.inbox.ofType('message.echo').map(({ event }) => event.channel_id)).not.toContain(channel.id);
    expect(await mailsOf(world, account.accountId)).toEqual([]);
  });

  test('the same text written on the phone during a send: one delivered event, and no message is lost', async () => {
    const { channel } = await connectOwnAsset(world, 'photoapp');
    const recipient = newPerson('photoapp');
    await faultFor(world.simulator, recipient, { act: 'ok', delay_ms: 200 });
    const sending = world.send(channel, 'same', recipient);
    await until('the call', async () => (await fired(world.simulator, recipient))[0] === 1);
    await world.simulator.control('business/write', {
      channel: channel.upstream,
      to: recipient,
      text: 'same',
    });
    const { body } = await sending;
    expect(body.status).toBe('sent');
    await world.inbox.event('message.delivered', body.message_id);
    await quiet(world, channel);
    const delivered = world.inbox
      .ofType('message.delivered')
      .filter(({ event }) => event.channel_id === channel.id);
    expect(delivered).toHaveLength(1);
    expect(await ledger(world.simulator, { recipient })).toHaveLength(1);
  });
});

test('a number that upstream knows under another id: statuses name the recipient as the client sent it', async () => {
  const { channel } = await connectOwnAsset(world, 'chatapp');
  await world.simulator.control('people', {
    channel: channel.upstream,
    id: '5511988887777',
    input: '551188887777',
    name: 'Ana',
  });
  const { body } = await world.send(channel, 'olá', '551188887777');
  const told = await allEventsAbout(world, channel, '551188887777', 2);
  expect(told.map(({ event, data }) => [event, data['message_id']])).toEqual([
    ['message.sent', body.message_id],
    ['message.delivered', body.message_id],
  ]);
});

describe('a channel that is deactivated while a message is queued', () => {
  test('a message that was sent before is still confirmed and not reported as failed', async () => {
    const { account, channel } = await connectOwnAsset(world, 'chatapp');
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'lost', silent: true });
    const { body } = await world.send(channel, 'before the end', recipient);
    expect(body.status).toBe('queued');
    const target = `/api/v1/channels/${channel.id}`;
    expect((await world.service.call('DELETE', target, { key: channel.key })).status).toBe(200);
    // The number's business account may have another active channel, so upstream still sends its statuses.
    const [copy] = await ledger(world.simulator, { recipient });
    const value = {
      statuses: [
        {
          id: copy?.id,
          status: 'delivered',
          timestamp: '1767225600',
          recipient_id: recipient,
          biz_opaque_callback_data: body.message_id,
        },
      ],
    };
    expect(await postAsUpstream(world, phonePost(channel.upstream, value))).toBe(200);
    await until('the send to end', async () => {
      const { body: insight } = await world.service.admin('GET', `/channels/${channel.id}`);
      return insight.sends_open === 0;
    });
    expect(await mailsOf(world, account.accountId)).toEqual([]);
    expect(await ledger(world.simulator, { recipient })).toHaveLength(1);
  });
});
