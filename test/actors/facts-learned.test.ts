/**
 * How often a waiting fact is looked up. On a busy machine upstream's receipts overtake the answers of the sends by dozens: were each
 * of them looked up again at the end of every other job, the look-ups would grow with the square of what is under way. [architecture §6.1]
 */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { committed, facts, readOf, receiptOf } from './support/facts.ts';
import { Turns, accepted } from './support/turns.ts';

const count = 20;
const numbers = Array.from({ length: count }, (_, index) => index + 1);

/** What a page's `delivery` says: the id, and that all before it are delivered. */
const deliveryOf = (n: number): ChannelMessage => {
  const of = { channelType: 'pagechat', recipient: `p-${n}` } as const;
  return facts(
    receiptOf({ ...of, upstreamId: `up-${n}` }),
    readOf('pagechat', { ...of, status: 'delivered' }),
  );
};

/** The look-up of job `job` found send `n`, or nothing. */
const found = (job: number, n: number | null): ChannelMessage => ({
  type: 'facts-resolved',
  job,
  known: n === null ? [] : [messageOf(n)],
  conversations: [[]],
  delivered: [],
});

const messageOf = (n: number) => ({
  id: `m-${n}`,
  origin: 'service' as const,
  recipient: `p-${n}`,
  statusAt: null,
  upstreamIds: [`up-${n}`],
});

const lookUps = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('look up'));

function inFlight(): Turns {
  const turns = new Turns({ type: 'pagechat' });
  for (const n of numbers) turns.sent(`m-${n}`, `p-${n}`);
  return turns;
}

function learn(turns: Turns, n: number): string[] {
  turns.answer(`m-${n}`, accepted(`up-${n}`));
  return turns.tell({ type: 'send-recorded', messageId: `m-${n}` });
}

describe('receipts that came before the answers of their sends', () => {
  test('are looked up once when they come, and once more when the answer names them', () => {
    const turns = inFlight();
    for (const n of numbers) {
      expect(turns.tell(deliveryOf(n))).toEqual([`look up ${n}!`]);
      turns.tell(found(n, null));
      turns.tell(committed(n));
    }
    const again = numbers.flatMap((n) => learn(turns, n));
    expect(lookUps(again)).toEqual(numbers.map((n) => `look up ${count + n}!`));
    const later = numbers.flatMap((n) => [
      ...turns.tell(found(count + n, n)),
      ...turns.tell(committed(count + n)),
    ]);
    expect([lookUps(later), turns.state.factsAtWork?.unmatched.size ?? 0]).toEqual([[], 0]);
  });

  test('are looked up again when the answer came during their own look-up, and nobody else’s', () => {
    const turns = inFlight();
    for (const n of numbers) turns.tell(deliveryOf(n));
    const during = numbers.flatMap((n) => learn(turns, n));
    const after = numbers.map((n) => lookUps([...turns.tell(found(n, null)), ...turns.tell(committed(n))]));
    expect([during, after]).toEqual([[], numbers.map((n) => [`look up ${count + n}!`])]);
  });
});
