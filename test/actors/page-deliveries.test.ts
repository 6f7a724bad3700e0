/**
 * A page's `delivery` names messages and covers the earlier ones of their conversation too. Deliveries share jobs: were each a job of its
 * own, a busy page would have dozens of look-ups and commits at once, and receipts would come before the answers of their sends. [faults: 346]
 */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ChannelFact, ConversationReceipt, Receipt } from '../../src/rules/messages/facts.ts';
import type { KnownMessage } from '../../src/storage/journal/channel-journal.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { committed, facts, readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { Turns, openMessage } from './support/turns.ts';

function deliveryOf(n: number, recipient: string, upTo = newYear): [Receipt, ConversationReceipt] {
  const of = { channelType: 'pagechat', recipient, at: newYear } as const;
  return [
    receiptOf({ ...of, upstreamId: `up-${n}` }),
    readOf('pagechat', { ...of, status: 'delivered', upTo }),
  ];
}

const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
const isLookUp = (line: string): boolean => line.startsWith('look up');
const replyTo = (ask: number, taken = 2): string => `→ ${ask}: {"taken":${taken},"dropped":0}`;

const found = (job: number, conversations: KnownMessage[][]): ChannelMessage => ({
  type: 'facts-resolved',
  job,
  known: [],
  conversations,
  delivered: [],
});

const messageTo = (recipient: string, id: string, attemptedAt = newYear): KnownMessage =>
  openMessage({ id, recipient, state: 'sent', rank: 1, attemptedAt }).message;

/** Many messages to Mia, as many as a round takes of the given conversations. */
const chunkFor = (conversations: number): KnownMessage[] =>
  Array.from({ length: limits.readChunk / conversations }, (_, n) => messageTo('mia', `m-${n}`));

function behindAnInbound(): Turns {
  const turns = new Turns({ type: 'pagechat' });
  turns.ask(facts(inboundOf()));
  return turns;
}

describe('deliveries of a page that come during a commit', () => {
  test('are one job, and each request is answered once all are stored', () => {
    const turns = behindAnInbound();
    expect(numbers.flatMap((n) => turns.ask(facts(...deliveryOf(n, `p-${n}`))))).toEqual([]);
    const [first, ...begun] = turns.tell(committed(1)).filter((line) => !line.startsWith('post'));
    expect([first, begun]).toEqual([replyTo(1, 1), ['look up 2']]);
    turns.tell(
      found(
        2,
        numbers.map(() => []),
      ),
    );
    expect(turns.tell(committed(2))).toEqual(numbers.map((n) => replyTo(n + 1)));
  });

  test('let a read of their person wait, and no other', () => {
    const turns = behindAnInbound();
    turns.ask(facts(...deliveryOf(1, 'mia')));
    expect(turns.ask(facts(readOf('pagechat', { recipient: 'noah' })))).toEqual(['look up 2']);
    expect(turns.ask(facts(readOf('pagechat', { recipient: 'mia' })))).toEqual([]);
    expect(turns.tell(committed(1)).filter(isLookUp)).toEqual(['look up 3']);
    turns.tell(found(3, [[]]));
    expect(turns.tell(committed(3))).toEqual([replyTo(2), 'look up 4']);
  });

  test.each<[string, ChannelFact]>([
    ['another person', readOf('pagechat', { recipient: 'noah', status: 'delivered' })],
    ['another status', readOf('pagechat', { recipient: 'mia' })],
  ])('are not gathered with a receipt of %s', (_what, beside) => {
    const turns = behindAnInbound();
    expect(turns.ask(facts(...deliveryOf(1, 'mia'), beside))).toEqual(['look up 2']);
  });

  test('cover what was sent before each of them arrived, not before the first', () => {
    const turns = behindAnInbound();
    turns.ask(facts(...deliveryOf(1, 'mia', newYear + 90)));
    turns.now += 10;
    turns.ask(facts(...deliveryOf(2, 'noah', newYear + 90)));
    turns.tell(committed(1));
    const between = newYear + 5;
    const commit = turns.tell(
      found(2, [[messageTo('mia', 'm-1', between)], [messageTo('noah', 'm-2', between)]]),
    );
    expect(commit).toEqual([
      'commit 2 message.delivered(m-2) hold r/delivered/up-1 hold r/delivered/up-2 m-2:delivered',
    ]);
  });

  test('that cover more than a round takes go on alone: the others are answered, and later facts begin', () => {
    const turns = behindAnInbound();
    turns.ask(facts(...deliveryOf(1, 'mia')));
    turns.ask(facts(...deliveryOf(2, 'noah')));
    turns.tell(committed(1));
    turns.ask(facts(...deliveryOf(3, 'eve')));
    const effects = turns.effects(found(2, [chunkFor(2), []]));
    const [report] = effects.flatMap((effect) => (effect.effect === 'commit' ? [effect.report] : []));
    if (report?.type !== 'facts-ended') throw new Error('no commit of facts');
    const next = turns.tell(report).filter((line) => !line.startsWith('post'));
    expect(next).toEqual([replyTo(3), 'look up 2', 'look up 3']);
    turns.tell(found(3, [[]]));
    expect(turns.tell(committed(3))).toEqual([replyTo(4)]);
    expect(turns.tell(found(2, [[]]))).toEqual([replyTo(2)]);
  });
});

describe('deliveries of one conversation', () => {
  test('share a look-up, and each message is told once', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    for (const n of [1, 2, 3]) {
      await channel.sent(`m-${n}`, `up-${n}`);
      await channel.clock.pass(1_000);
    }
    const given = [1, 2, 3].map((n) => channel.facts(...deliveryOf(n, 'mia', newYear + n * 1_000 - 500)));
    const answers = await Promise.all([channel.facts(inboundOf({ from: 'noah' })), ...given]);
    expect(answers.slice(1)).toEqual(given.map(() => ({ taken: 2, dropped: 0 })));
    expect(channel.lookedUpConversations).toEqual(['mia', 'mia']); // the first began at once
    expect(channel.events.filter((event) => event.startsWith('message.delivered'))).toEqual(
      [1, 2, 3].map((n) => `message.delivered m-${n}`),
    );
  });

  test('reach all of 1,200 earlier messages once, gathered or not', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    channel.receiver = 'by hand';
    for (let n = 0; n < 1_200; n += 1) {
      const { message } = openMessage({ id: `m-${n}`, state: 'sent', rank: 1, attemptedAt: newYear - 1 });
      channel.store.messages.set(message.id, message);
    }
    channel.largestCommit = 0;
    const given = numbers.map((n) => channel.facts(...deliveryOf(n, n % 2 === 0 ? 'mia' : `p-${n}`)));
    await Promise.all([channel.facts(inboundOf({ from: 'noah' })), ...given]);
    const told = channel.events.filter((event) => event.startsWith('message.delivered'));
    expect([told.length, new Set(told).size]).toEqual([1_200, 1_200]);
    expect(channel.largestCommit).toBeLessThanOrEqual(2 * limits.readChunk + 2 * numbers.length);
  });
});
