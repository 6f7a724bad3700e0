/** [spec: Message send state: rows one to three; Send error codes] The answers of a send request. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedEvents } from '../support/every-send.ts';
import { channelTypes, connectAll, faultFor, ledger, mailsOf, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { checkWebhooksAndClose } from '../support/events.ts';
import { World } from '../support/world.ts';
import type { Account, ChannelType } from '../support/world.ts';

let world: World;
let account: Account;
let channels: Channels;
beforeAll(async () => {
  world = await World.open();
  ({ account, channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

const everything = (recipient: string) => ledger(world.simulator, { recipient, outcome: 'all' });

describe('upstream accepts → sent; message.sent etc. follow as webhooks', () => {
  test.each(channelTypes)('%s', async (type) => {
    const recipient = newPerson(type);
    const { body } = await world.send(channels[type], 'hello', recipient);
    expect(body.status).toBe('sent');
    for (const event of acceptedEvents[type]) await world.inbox.event(event, body.message_id);
    const told = world.inbox.arrivals.filter(({ event }) => event.data['message_id'] === body.message_id);
    expect(told).toHaveLength(acceptedEvents[type].length);
    expect(await everything(recipient)).toHaveLength(1);
  });
});

describe('permanent upstream error → failed; error_code unchanged, error as a readable sentence', () => {
  const controlled = '(#10) Message failed to send because another app is controlling this thread now.';
  const rows: [number, ChannelType, Record<string, unknown>, string][] = [
    [10, 'chatapp', {}, 'denies this action'],
    [200, 'pagechat', { status: 403 }, 'denies this action'],
    [10, 'pagechat', { subcode: 2018300, message: controlled }, 'another app is controlling this thread'],
    [10, 'photoapp', { subcode: 2018300, message: controlled }, 'another app is controlling this thread'],
    [100, 'chatapp', {}, 'Invalid parameter'],
    [100, 'photoapp', { subcode: 2534014 }, 'Invalid parameter'],
    [190, 'chatapp', { status: 401 }, 'reconnect the channel'],
    [190, 'pagechat', { status: 401 }, 'reconnect the channel'],
    [368, 'chatapp', {}, 'policy violations'],
    [551, 'pagechat', {}, 'cannot be messaged now'],
    [551, 'photoapp', {}, 'cannot be messaged now'],
    [803, 'chatapp', {}, 'recipient identifier'],
    [131008, 'chatapp', {}, 'required parameter is missing'],
    [131009, 'chatapp', {}, 'invalid for this channel'],
    [131026, 'chatapp', {}, 'not reachable'],
    [131047, 'chatapp', {}, '24-hour'],
    [131051, 'chatapp', {}, 'Unsupported message type'],
    [131052, 'chatapp', {}, 'could not download'],
    // [faults: 40] The HTTP status is unreliable: the code decides.
    [131026, 'chatapp', { status: 500 }, 'not reachable'],
  ];
  test.each(rows)('%i on %s with %j', async (code, type, more, says) => {
    const recipient = newPerson(type);
    await faultFor(world.simulator, recipient, { act: 'refuse', code, ...more });
    const answer = await world.send(channels[type], 'hello', recipient);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: false,
      message_id: expect.any(String),
      error: expect.stringContaining(says),
      error_code: code,
      status: 'failed',
    });
    refused.push(recipient);
  });

  test('the channel stays connected and keeps sending', async () => {
    for (const type of channelTypes) {
      expect((await world.send(channels[type], 'still here', newPerson(type))).body.status).toBe('sent');
    }
  });

  test('none of them is retried, and no event reports them', async () => {
    // Longer than the first pause before a retry.
    const again = { outcome: 'all', recipient: refused.at(-1) ?? '', at_least: 2, wait_ms: 1_300 };
    expect(await ledger(world.simulator, again)).toHaveLength(1);
    for (const recipient of refused) {
      expect((await everything(recipient)).map(({ outcome }) => outcome)).toEqual(['refused']);
      expect(world.inbox.arrivals.filter(({ event }) => event.data['recipient'] === recipient)).toEqual([]);
    }
  });
});

/** The recipients of sends that upstream refused permanently. */
const refused: string[] = [];

test("an access token in upstream's error text is not passed on", async () => {
  const recipient = newPerson('chatapp');
  await faultFor(world.simulator, recipient, { act: 'leak_token' });
  const { body } = await world.send(channels.chatapp, 'hello', recipient);
  expect([body.status, body.error_code]).toEqual(['failed', 190]);
  expect(body.error).not.toContain('EAA');
});

test('a revoked token is 190 on each send, its owner gets one mail, and other channels are not affected', async () => {
  await world.simulator.control('tokens/revoke', { asset: '520000000000005' });
  const { body } = await world.send(channels.pagechat, 'hello', newPerson('pagechat'));
  expect([body.success, body.status, body.error_code]).toEqual([false, 'failed', 190]);
  expect((await world.send(channels.pagechat, 'again', newPerson('pagechat'))).body.error_code).toBe(190);
  const told = (await mailsOf(world, account.accountId)).filter(
    ({ kind, lines }) => kind === 'reconnect' && lines.join('').includes(channels.pagechat.id),
  );
  expect(told.map(({ lines }) => lines.filter((line) => line.includes('(code 190)')).length)).toEqual([1]);
  expect((await world.send(channels.chatapp, 'hello', newPerson('chatapp'))).body.status).toBe('sent');
});
