/**
 * [spec: Message send state: the rows from and to `queued`] Short durations, but long enough for a busy machine: queued after 800 ms,
 * resent after 2 s, given up after 6 s. Slow cases run concurrently, and copies are counted once no further one can be due. [faults: I1, I2, I3]
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { confirmation } from '../support/every-send.ts';
import {
  channelTypes,
  connectAll,
  faultFor,
  fired,
  ledger,
  mailsOf,
  newPerson,
  taken,
} from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { connectOwnAsset, ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import type { Account, Channel, ChannelType } from '../support/world.ts';

const resendAfterMs = 2_000;
const world = sharedWorld({
  SEND_QUEUED_AFTER_MS: '800',
  SEND_RESEND_AFTER_MS: String(resendAfterMs),
  SEND_GIVE_UP_AFTER_MS: '6000',
});
/** For what no short duration ends: a machine may stand still. */
const patient = sharedWorld();
const soonQueued = sharedWorld({ SEND_QUEUED_AFTER_MS: '800' });
let account: Account;
let channels: Channels;
let patientChannels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
  ({ channels: patientChannels } = await connectAll(patient));
});

interface Queued {
  type: ChannelType;
  recipient: string;
  messageId: string;
}

/** Sends to a new person whose sends meet these faults; the answer must be `queued`. */
async function queuedOn(
  type: ChannelType,
  faults: readonly Record<string, unknown>[],
  channel: Channel = channels[type],
): Promise<Queued> {
  const recipient = newPerson(type);
  for (const fault of faults) await faultFor(world.simulator, recipient, fault);
  const answer = await taken(() => world.send(channel, `to ${recipient}`, recipient));
  expect([answer.status, answer.body]).toEqual([
    200,
    { success: true, message_id: expect.any(String), error: null, status: 'queued' },
  ]);
  return { type, recipient, messageId: answer.body.message_id };
}

const confirmed = ({ type, messageId }: Queued): Promise<unknown> =>
  world.inbox.event(confirmation[type], messageId);

/** The number of copies that upstream must have accepted of each send when this file ends: the last test checks it. */
const copiesInTheEnd = new Map<string, number>();

function expectCopies(sends: readonly Queued[], copies: number): void {
  for (const { recipient } of sends) copiesInTheEnd.set(recipient, copies);
}

describe('transient upstream failure → queued, then sent: exactly one copy', () => {
  const pausing = new Set([131057, 130429, 4]);
  const codes = [131053, 131056, 131057, 130429, 4, 2, 999_999];

  test(`codes ${codes.join(', ')}`, async () => {
    const sends = await Promise.all(
      codes.map(async (code) => {
        // Some codes pause the whole number: each of those gets its own.
        const own = pausing.has(code) ? await ownChannel(world) : channels.chatapp;
        return queuedOn('chatapp', [{ act: 'refuse', code, status: 400 }], own);
      }),
    );
    const page = [{ act: 'refuse', code: 2, status: 400 }];
    sends.push(await queuedOn('photoapp', page), await queuedOn('pagechat', page));
    await Promise.all(sends.map(confirmed));
    for (const { recipient, messageId } of sends) {
      const calls = await ledger(world.simulator, { recipient, outcome: 'all' });
      expect(calls.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
      // photoapp has no field for our message id
      expect([messageId, null]).toContain(calls[1]?.tag);
    }
  });
});

describe('upstream slower than SEND_QUEUED_AFTER_MS → queued; upstream confirms → sent', () => {
  test('one copy, on each channel type', async () => {
    const sends = await Promise.all(
      channelTypes.map((type) => queuedOn(type, [{ act: 'ok', delay_ms: 1_300 }])),
    );
    await Promise.all(sends.map(confirmed));
    expectCopies(sends, 1);
  });

  test('an answer within that time is `sent`', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(patient.simulator, recipient, { act: 'ok', delay_ms: 50 });
    const { body } = await taken(() => patient.send(patientChannels.chatapp, 'slow', recipient));
    expect(body.status).toBe('sent');
  });
});

describe('the answer is lost, but a later event of upstream names the message', () => {
  const answers = ['lost', 'truncated', 'html', 'empty', 'big', 'error_after_accept'];

  test('queued, then sent without a second copy, whatever came instead of the answer', async () => {
    const sends = await Promise.all(
      answers.map((act) => queuedOn('chatapp', [{ act, size_bytes: 1_000_000 }])),
    );
    await Promise.all(sends.map(confirmed));
    expectCopies(sends, 1);
  });

  test('chatapp is confirmed by its tag, pagechat by its metadata, photoapp by its echo', async () => {
    const sends = await Promise.all(channelTypes.map((type) => queuedOn(type, [{ act: 'lost' }])));
    await Promise.all(sends.map(confirmed));
    expectCopies(sends, 1);
    // [spec: message.echo 1] Messages sent through the service never arrive as echoes.
    expect(world.inbox.ofType('message.echo')).toEqual([]);
  });

  test('a status that arrives before the answer confirms the send, and each event comes once', async () => {
    const recipients = channelTypes.map((type) => ({ type, recipient: newPerson(type) }));
    for (const { type, recipient } of recipients) {
      await faultFor(patient.simulator, recipient, { act: 'ok', early: true });
      const { body } = await taken(() => patient.send(patientChannels[type], 'early', recipient));
      expect(body.status).toBe('sent');
      await patient.inbox.event(confirmation[type], body.message_id);
      await patient.inbox.event('message.delivered', body.message_id);
      const events = patient.inbox.arrivals
        .filter(({ event }) => event.data['message_id'] === body.message_id)
        .map(({ event }) => event.event);
      expect(new Set(events).size).toBe(events.length);
      expect(await ledger(patient.simulator, { recipient })).toHaveLength(1);
    }
    expect(patient.inbox.ofType('message.echo')).toEqual([]);
  });
});

describe('upstream has not confirmed → resent once more, then sent', () => {
  test('exactly two copies if upstream accepted the first, never three', async () => {
    const lost = { act: 'lost', silent: true };
    const sends = await Promise.all(channelTypes.map((type) => queuedOn(type, [lost])));
    // A call that is never answered is aborted when the second copy is due.
    sends.push(await queuedOn('chatapp', [{ act: 'hang', silent: true }]));
    await Promise.all(sends.map(confirmed));
    expectCopies(sends, 2);
  });

  test('one copy if the connection broke before upstream accepted it', async () => {
    const sends = [await queuedOn('chatapp', [{ act: 'reset' }])];
    await Promise.all(sends.map(confirmed));
    expectCopies(sends, 1);
  });
});

describe('cannot be confirmed → failed, and the owner receives a delivery digest', () => {
  const lost = { act: 'lost', silent: true, times: 0 };
  let unconfirmed: Queued[];
  let refusedOwner: Account;
  let refused: Queued;
  let lapsedOwner: Account;
  let lapsed: Queued;
  beforeAll(async () => {
    unconfirmed = await Promise.all(channelTypes.map((type) => queuedOn(type, [lost])));
    const first = await connectOwnAsset(world, 'chatapp');
    refusedOwner = first.account;
    const refusal = { act: 'refuse', code: 999_999, status: 400, times: 0 };
    refused = await queuedOn('chatapp', [refusal], first.channel);
    const second = await connectOwnAsset(world, 'chatapp');
    lapsedOwner = second.account;
    lapsed = await queuedOn('chatapp', [lost], second.channel);
    const canceled = { status: 'canceled' };
    await world.service.admin('PATCH', `/subscriptions/${lapsedOwner.subscriptionId}`, canceled);
  });

  test('after two copies, never three, on each channel type', async () => {
    for (const { messageId } of unconfirmed) await digestOf(account, messageId);
    expectCopies(unconfirmed, 2);
  });

  test('the digest names the message but not its content', async () => {
    const [{ messageId, recipient } = lapsed] = unconfirmed;
    const line = await digestOf(account, messageId);
    expect(line).not.toContain(`to ${recipient}`);
  });

  test('message.failed on chatapp, the only type that has the event', async () => {
    const [{ messageId, recipient } = lapsed] = unconfirmed;
    const failed = await world.inbox.event('message.failed', messageId);
    expect(failed.event.data).toEqual({
      message_id: messageId,
      status: 'failed',
      recipient,
      error: expect.any(String),
      errors: [],
    });
    const failures = world.inbox.ofType('message.failed').map(({ event }) => event.channel_type);
    expect(new Set(failures)).toEqual(new Set(['chatapp']));
  });

  test("a permanent series of transient codes: nothing was sent, and upstream's error is passed on", async () => {
    const failed = await world.inbox.event('message.failed', refused.messageId);
    expect(failed.event.data['errors']).toEqual([{ code: 999_999, title: expect.any(String) }]);
    await digestOf(refusedOwner, refused.messageId);
    expectCopies([refused], 0);
  });

  test('no second copy once the licence has ended', async () => {
    await digestOf(lapsedOwner, lapsed.messageId);
    expectCopies([lapsed], 1);
  });

  test('a late status still makes its event', async () => {
    const [{ messageId, recipient } = lapsed] = unconfirmed;
    const [copy] = await ledger(world.simulator, { recipient });
    await world.simulator.control('statuses', { id: copy?.id, status: 'delivered' });
    await world.inbox.event('message.delivered', messageId);
  });
});

test('sends to one recipient are in order; other recipients do not wait for them', async () => {
  const { channel } = await connectOwnAsset(soonQueued, 'chatapp');
  const recipient = newPerson('chatapp');
  await faultFor(soonQueued.simulator, recipient, { act: 'ok', held: true });
  const send = (text: string, to: string) => taken(() => soonQueued.send(channel, text, to));
  const sends = [send('first', recipient)];
  await until('the first call', async () => (await fired(soonQueued.simulator, recipient))[0] === 1);
  for (const [waiting, text] of ['second', 'third', 'fourth'].entries()) {
    sends.push(send(text, recipient));
    await until(`${text} to wait`, async () => {
      const { body } = await soonQueued.service.admin('GET', `/channels/${channel.id}`);
      return body.sends_waiting === waiting + 1;
    });
  }
  const other = newPerson('chatapp');
  await send('other', other);
  expect((await sends[0])?.body.status).toBe('queued');
  await soonQueued.simulator.control('faults/release', {});
  await Promise.all(sends);
  const copies = await until('a copy of each', async () => {
    const calls = await ledger(soonQueued.simulator, { channel: channel.upstream });
    return calls.length >= 5 ? calls : false;
  });
  expect(copies.map(({ text }) => text)).toEqual(['other', 'first', 'second', 'third', 'fourth']);
});

test('in the end upstream has accepted exactly the expected copies of each send', async () => {
  const last = { recipient: newPerson('chatapp'), wait_ms: 2 * resendAfterMs };
  await ledger(world.simulator, last);
  const copies = new Map<string, number>();
  for (const recipient of copiesInTheEnd.keys())
    copies.set(recipient, (await ledger(world.simulator, { recipient })).length);
  expect(copies).toEqual(copiesInTheEnd);
});

/** The line of the digest that names this message. */
function digestOf(owner: Account, messageId: string): Promise<string> {
  return until(`a digest that names ${messageId}`, async () => {
    const digests = (await mailsOf(world, owner.accountId)).filter(({ kind }) => kind === 'delivery-digest');
    return digests.flatMap(({ lines }) => lines).find((line) => line.includes(messageId));
  });
}
