/** [spec: HTTP status codes, 503; operator-interface §2 MAX_QUEUE_AGE_MS; faults: 33, 39, I3, I11] A queue whose oldest send is too old. */
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { allEventsAbout } from '../support/events.ts';
import { faultFor, fired, ledger, newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld({ MAX_QUEUE_AGE_MS: '300' });

const overloaded = [
  503,
  '1',
  { detail: 'Temporarily overloaded; nothing was sent. Retry after the time in Retry-After' },
];
const shown = ({ status, headers, body }: Answer): unknown[] => [status, headers.get('retry-after'), body];

const texts = Array.from({ length: 10 }, (_, n) => `text ${n}`);

/** Ten sends to one person whose calls upstream answers slowly: they run one after another, and the last ones exceed the time limit. */
async function sendSlowly(channel: Channel, recipient: string): Promise<Promise<Answer>[]> {
  await faultFor(world.simulator, recipient, { act: 'ok', delay_ms: 1_200, times: 10 });
  const answers = texts.map((text) =>
    world.service.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient, text },
      headers: { 'idempotency-key': `${text} to ${recipient}` },
    }),
  );
  await until('a call', async () => ((await fired(world.simulator, recipient)).at(-1) ?? 0) > 0);
  return answers;
}

describe('a send that would wait too long is 503 with Retry-After, and was not sent', () => {
  test('behind earlier sends to the same recipient; those are sent', async () => {
    const channel = await ownChannel(world);
    const recipient = newPerson('chatapp');
    const answers = await Promise.all(await sendSlowly(channel, recipient));
    const sent = texts.filter((_, n) => answers[n]?.body.status === 'sent');
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBe(texts.length - sent.length);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(shown(answer)).toEqual(overloaded);
    const copies = await ledger(world.simulator, { recipient, outcome: 'all' });
    expect(new Set(copies.map(({ text }) => text))).toEqual(new Set(sent));
    expect(copies.length).toBe(sent.length);
  });

  test('its Idempotency-Key can be used again', async () => {
    const channel = await ownChannel(world);
    const recipient = newPerson('chatapp');
    const answers = await Promise.all(await sendSlowly(channel, recipient));
    const text = texts.find((_, n) => answers[n]?.status === 503) ?? 'none was refused';
    const again = await world.service.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient, text },
      headers: { 'idempotency-key': `${text} to ${recipient}` },
    });
    expect(again.body.status).toBe('sent');
    expect(await ledger(world.simulator, { recipient, text })).toHaveLength(1);
  });
});

describe('while upstream has paused sends, a send is queued, recorded, and sent when the pause ends', () => {
  test('a pause of the pair (131056) does not delay other recipients', async () => {
    const channel = await ownChannel(world);
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131_056, status: 400 });
    expect((await world.send(channel, 'paused', recipient)).body.status).toBe('queued');
    const [next, other] = await Promise.all([
      world.send(channel, 'next', recipient),
      world.send(channel, 'other', newPerson('chatapp')),
    ]);
    expect([next.status, next.body]).toMatchObject([200, { success: true, status: 'queued', error: null }]);
    expect(other.body.status).toBe('sent');
    const copies = await ledger(world.simulator, { recipient, at_least: 2, wait_ms: 15_000 });
    expect(copies.map(({ text }) => text)).toEqual(['paused', 'next']);
    await world.inbox.event('message.sent', next.body.message_id);
  });

  test('a pause of the number (130429) delays its other recipients too, but not other channels', async () => {
    const [channel, other] = [await ownChannel(world), await ownChannel(world)];
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 130_429, status: 429 });
    expect((await world.send(channel, 'throttled', recipient)).body.status).toBe('queued');
    const late = newPerson('chatapp');
    const [same, elsewhere] = await Promise.all([
      world.send(channel, 'later', late),
      world.send(other, 'elsewhere', newPerson('chatapp')),
    ]);
    expect([same.status, same.body.status]).toEqual([200, 'queued']);
    expect(elsewhere.body.status).toBe('sent');
    expect(await ledger(world.simulator, { recipient, wait_ms: 5_000 })).toHaveLength(1);
    const copies = await ledger(world.simulator, { recipient: late, at_least: 1, wait_ms: 5_000 });
    expect(copies.map(({ text }) => text)).toEqual(['later']);
  });
});

test('inbound messages are never shed: they arrive while sends are refused', async () => {
  const channel = await ownChannel(world);
  const recipient = newPerson('chatapp');
  const sends = await sendSlowly(channel, recipient);
  const { answers } = await world.write(channel, { text: 'meanwhile', wait: true }, recipient);
  expect(answers).toEqual([200]);
  expect((await Promise.all(sends)).map(({ status }) => status)).toContain(503);
  const told = await allEventsAbout(world, channel, recipient, 3);
  expect(told.map(({ event }) => event)).toContain('message.received');
});
