/** [spec: Additions, A default webhook; faults: 381] Changes of a channel without a webhook go to the default as it is at each attempt. */
import { beforeEach, expect, test } from '@jest/globals';
import { channelUpdated } from '../../src/rules/events/changes.ts';
import type { AccountReceiverSettings } from '../../src/rules/outside.ts';
import { newYear } from '../rules/samples.ts';
import { down, up } from './support/deliveries.ts';
import { LiveChannel } from './support/live-channel.ts';
import { plainSealer } from './support/plain-sealer.ts';

const seconds = 1_000;

const change = {
  id: 'c-1',
  at: newYear,
  changed: 'token',
  before: 'ok',
  after: 'token_refused',
  reason: null,
};

const receiver = (host: string, webhookEvents = ['channel.updated']): AccountReceiverSettings => ({
  webhookUrl: `https://${host}.example/in`,
  webhookSecret: plainSealer.sealText(host, 'secret'),
  webhookEvents,
  previousSecret: null,
  previousSecretUntil: null,
});

let live: LiveChannel;
/** A change was posted once, and refused. */
beforeEach(async () => {
  live = new LiveChannel({ channel: { webhookUrl: null } });
  live.defaultReceiver = receiver('first');
  live.receiver = down;
  await live.takeOver();
  await live.ask({ type: 'emit', told: channelUpdated(change) });
  await live.settled;
});

const posted = () => live.posts.map(({ sent: { url, secret } }) => ({ url, secret }));
const to = (host: string) => ({
  url: `https://${host}.example/in`,
  secret: plainSealer.sealText(host, 'secret'),
});
const states = () => [...live.store.deliveries.values()].map(({ state, attempts }) => [state, attempts]);

test('a retry goes to the address that the account has given since, signed with its secret', async () => {
  live.defaultReceiver = receiver('second');
  live.receiver = up;
  await live.clock.pass(30 * seconds);
  expect(posted()).toEqual([to('first'), to('second')]);
  expect(states()).toEqual([['delivered', 2]]);
});

test('a retry is signed with the secret that the account has given since', async () => {
  live.defaultReceiver = { ...receiver('first'), webhookSecret: plainSealer.sealText('another', 'secret') };
  await live.clock.pass(30 * seconds);
  expect(posted().at(-1)).toEqual({ ...to('first'), secret: plainSealer.sealText('another', 'secret') });
});

test.each([
  ['that was taken away', null],
  ['that lists the event no more', receiver('first', ['template.updated'])],
])('nothing is posted to a default %s: the event is canceled', async (_, now) => {
  live.defaultReceiver = now;
  await live.clock.pass(40 * seconds);
  expect(posted()).toEqual([to('first')]);
  expect(states()).toEqual([['failed', 1]]);
});

test('while the default cannot be read no attempt is made, and none counts', async () => {
  await live.clock.pass(29 * seconds);
  live.mood = () => 'down';
  await live.clock.pass(5 * seconds);
  expect([posted(), states()]).toEqual([[to('first')], [['pending', 1]]]);
  live.mood = () => 'well';
  live.receiver = up;
  await live.clock.pass(5 * seconds);
  expect([posted(), states()]).toEqual([[to('first'), to('first')], [['delivered', 2]]]);
});

test('once the channel has an address of its own, that gets what it lists', async () => {
  await live.change({
    channel: { webhookUrl: 'https://own.example/in', webhookEvents: ['channel.updated'] },
  });
  await live.clock.pass(30 * seconds);
  expect(posted().map(({ url }) => url)).toEqual(['https://first.example/in', 'https://own.example/in']);
});
