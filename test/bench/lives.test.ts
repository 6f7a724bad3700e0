import { describe, expect, test } from '@jest/globals';
import { lifeOf, Lives } from '../../bench/load/lives.ts';
import { inOneOrder } from '../../bench/scenarios/targets.ts';

const message = (tag: string, phone = '4223') => ({ phone, tag });

describe("statuses come in the order of a message's life", () => {
  const messages = ['a', 'b', 'c', 'd'].map((tag) => message(tag));

  test('every message is sent, delivered and read, once each and in this order', () => {
    const turns = [...lifeOf(messages, 2)];
    for (const { tag } of messages) {
      const of = turns.filter((turn) => turn.tag === tag).map(({ status }) => status);
      expect(of).toEqual(['sent', 'delivered', 'read']);
    }
    expect(turns).toHaveLength(12);
  });

  test('two statuses of one message have those of others in between: neither overtakes the other', () => {
    const turns = [...lifeOf(messages, 2)].map(({ tag, status }) => `${tag} ${status}`);
    expect(turns.indexOf('b delivered') - turns.indexOf('b sent')).toBeGreaterThanOrEqual(2);
    expect(turns.slice(0, 4)).toEqual(['a sent', 'b sent', 'c sent', 'a delivered']);
  });

  test('prepared messages are used up, and a further one is an error rather than a repetition', async () => {
    const lives = new Lives(async (count) => Array.from({ length: count }, (_, n) => message(`${n}`)));
    await lives.stock(6);
    for (let n = 0; n < 6; n += 1) lives.next();
    expect(() => lives.next()).toThrow('no more messages');
  });
});

test('several senders take turns', () => {
  const messages = [message('a1', 'a'), message('a2', 'a'), message('b1', 'b'), message('b2', 'b')];
  expect(inOneOrder(messages).map(({ tag }) => tag)).toEqual(['a1', 'b1', 'a2', 'b2']);
});
