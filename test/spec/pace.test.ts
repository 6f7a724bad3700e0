/** [upstream §3.8; spec: Send error codes, 131056] The service keeps upstream's limits of a number and of a pair without being refused first. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { ledger, newPerson, taken } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';

/** A machine that stands still for seconds ends no wait. */
const longMs = 50_000;
const world = sharedWorld({ SEND_QUEUED_AFTER_MS: '120000' });
beforeAll(async () => {
  await world.simulator.control('settings', { rates: true });
});

test('50 concurrent messages to one person: the 44 that may go at once are sent, the others queued, and upstream refuses none', async () => {
  const channel = await ownChannel(world);
  const recipient = newPerson('chatapp');
  const answers = await fewAtOnce(50, 5, () => world.send(channel, 'text', recipient));
  const statuses = answers.map(({ body }) => body.status);
  const sent = statuses.filter((status) => status === 'sent').length;
  // More if their time comes meanwhile: one in 6 s. That none comes too early, upstream holds by refusing it.
  expect(sent).toBeGreaterThanOrEqual(44);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(50 - sent);
  const calls = await ledger(world.simulator, { recipient, outcome: 'all', at_least: 45, wait_ms: longMs });
  expect(calls.length).toBeGreaterThanOrEqual(45);
  expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
});

test('200 concurrent recipients of a number limited to 80 a second: all are sent, and upstream refuses none', async () => {
  const channel = await ownChannel(world);
  const people = Array.from({ length: 200 }, () => newPerson('chatapp'));
  const answers = await Promise.all(
    people.map((recipient) => taken(() => world.send(channel, 'hello', recipient))),
  );
  expect(answers.map(({ body }) => body.status)).toEqual(people.map(() => 'sent'));
  const calls = await ledger(world.simulator, { channel: channel.upstream, outcome: 'all' });
  expect(calls.map(({ outcome }) => outcome)).toEqual(people.map(() => 'accepted'));
});

test.each(['pagechat', 'photoapp'] as const)(
  '450 concurrent recipients of a %s, and 30 videos: all are sent, and upstream refuses none',
  async (type) => {
    const channel = await ownChannel(world, type);
    const video = () =>
      world.service.call('POST', '/api/v1/messages/send-media', {
        key: channel.key,
        body: {
          channel_id: channel.id,
          recipient: newPerson(type),
          media_type: 'video',
          media_url: `${world.simulator.url}/files/clip.mp4`,
        },
      });
    const text = () => world.send(channel, 'hello', newPerson(type));
    // Fewer concurrent sends than a channel may have calls.
    const answers = (
      await Promise.all([fewAtOnce(30, 15, () => taken(video)), fewAtOnce(450, 60, () => taken(text))])
    ).flat();
    for (const { body } of answers) expect(['sent', 'queued']).toContain(body.status);
    const calls = await ledger(world.simulator, {
      channel: channel.upstream,
      outcome: 'all',
      at_least: 480,
      wait_ms: longMs,
    });
    expect(calls).toHaveLength(480);
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  },
);

/** Asks `count` times, at most `places` at a time; returns all answers. */
async function fewAtOnce(count: number, places: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let left = count;
  const goOn = async (): Promise<void> => {
    for (; left > 0; answers.push(await ask())) left -= 1;
  };
  await Promise.all(Array.from({ length: places }, goOn));
  return answers;
}
