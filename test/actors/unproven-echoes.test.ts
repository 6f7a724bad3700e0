/** [operator-interface §4: echoes; faults: 273] An echo of a number that seems to have none: only an answer that is newer than the echo decides. */
import { expect, test } from '@jest/globals';
import { echoMessageId } from '../../src/rules/events/echo.ts';
import type { EchoAnswer } from '../../src/rules/outside.ts';
import { echoOf } from '../rules/samples.ts';
import { chatappProfile } from '../support/profiles.ts';
import { LiveChannel } from './support/live-channel.ts';
import type { Start } from './support/turns.ts';

const cloudOnly: Start = { type: 'chatapp', channel: { profile: chatappProfile({ isDualUse: false }) } };
const echo = (upstreamId: string) =>
  echoOf({ channelType: 'chatapp', upstreamId, recipient: '4915900000777' });
const told = (...upstreamIds: string[]) =>
  upstreamIds.map((id) => `message.echo ${echoMessageId('channel-1', id, 1)}`);
const answer = (channel: LiveChannel, at: number, said: EchoAnswer) => channel.questions[at]?.answer(said);

test('it is stored before upstream gets its 200, and told when upstream says that the number has echoes', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  expect(await channel.facts(echo('a'))).toEqual({ taken: 1, dropped: 0 });
  expect([channel.store.unmatched.size, channel.questions.length, channel.events]).toEqual([1, 1, []]);
  await answer(channel, 0, 'has-echoes');
  expect([channel.events, channel.store.unmatched.size]).toEqual([told('a'), 0]);
});

test('it is dropped when upstream says that the number has none', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  await answer(channel, 0, 'has-none');
  await channel.clock.pass(16 * 60_000);
  expect([channel.events, channel.store.unmatched.size, channel.questions.length]).toEqual([[], 0, 1]);
});

test('an answer that was asked for before the echo came does not count: upstream is asked again', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  await channel.facts(echo('b'));
  await answer(channel, 0, 'has-none');
  expect([channel.store.unmatched.size, channel.questions.length]).toEqual([1, 2]);
  await answer(channel, 1, 'has-echoes');
  expect(channel.events).toEqual(told('b'));
});

test('without an answer upstream is asked again, with growing pauses', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  const pauses = [1_000, 5_000, 30_000, 60_000, 60_000];
  for (const [index, pause] of pauses.entries()) {
    await answer(channel, index, 'unanswered');
    await channel.clock.pass(pause - 1);
    expect(channel.questions).toHaveLength(index + 1);
    await channel.clock.pass(1);
    expect(channel.questions).toHaveLength(index + 2);
  }
  await answer(channel, pauses.length, 'has-echoes');
  expect(channel.events).toEqual(told('a'));
});

test.each([
  ['if nobody can answer', 0, 'unanswerable'],
  ['if upstream does not answer for 15 minutes', 15 * 60_000, null],
] as const)('it is told %s', async (_, after, said) => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  if (said !== null) await answer(channel, 0, said);
  await channel.clock.pass(after);
  expect([channel.events, channel.store.unmatched.size]).toEqual([told('a'), 0]);
});

test('the next owner asks again', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  await channel.takeOver();
  expect(channel.questions).toHaveLength(2);
  await answer(channel, 1, 'has-echoes');
  expect([channel.events, channel.store.unmatched.size]).toEqual([told('a'), 0]);
});

test('a redelivery while it waits, and after it was told, changes nothing', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  for (let times = 0; times < 2; times += 1) await channel.facts(echo('a'));
  expect([channel.store.unmatched.size, channel.questions.length]).toEqual([1, 1]);
  await answer(channel, 0, 'has-echoes');
  await channel.facts(echo('a'));
  await answer(channel, 1, 'has-echoes');
  expect([channel.events, channel.store.unmatched.size]).toEqual([told('a'), 0]);
});

test('the channel forgets the question when it is answered', async () => {
  const channel = await LiveChannel.started(cloudOnly);
  await channel.facts(echo('a'));
  await answer(channel, 0, 'has-none');
  expect(channel.state?.factsAtWork ?? null).toBe(null);
});
