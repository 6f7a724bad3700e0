/** Which facts a delivery carries until they are applied to their messages, in MongoDB. */
import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { ActiveCarriers, pendingUpdatesByDelivery } from '../../src/storage/mongo/pending-updates.ts';
import { makePlan } from '../../src/storage/mongo/plan.ts';
import { newId } from '../../src/kernel/ids.ts';
import { accepted, eventOf } from './conformance/certain.ts';
import { aMessage, noon } from './conformance/samples.ts';

const message = aMessage(newId());
const delivery = eventOf(message);
const insert: Write = { write: 'insertDelivery', delivery };
const fact = accepted(message.id);

describe('a delivery carries', () => {
  test('the facts of its message, and those of messages without an event', () => {
    const other = accepted(newId());
    expect(pendingUpdatesByDelivery([insert, fact, other])).toEqual(new Map([[delivery.id, [fact, other]]]));
  });

  test('the facts of its own message, if there are several events', () => {
    const second = aMessage(message.channelId);
    const event = eventOf(second);
    const writes: Write[] = [insert, { write: 'insertDelivery', delivery: event }, accepted(second.id), fact];
    expect(pendingUpdatesByDelivery(writes)).toEqual(
      new Map([
        [event.id, [accepted(second.id)]],
        [delivery.id, [fact]],
      ]),
    );
  });

  test.each<[string, Write[]]>([
    ['nothing without an event', [fact]],
    ['nothing when only the event is written', [insert]],
    [
      'no deferral: true until the next claim only',
      [
        insert,
        fact,
        { write: 'recordDeferred', messageId: message.id, nextTryAt: noon, error: 'busy', errorCode: null },
      ],
    ],
    ['no unknown outcome', [insert, { write: 'recordUnknown', messageId: message.id }]],
    ['no message that is new itself', [insert, fact, { write: 'insertEcho', message }]],
  ])('%s', (_name, writes) => {
    expect(pendingUpdatesByDelivery(writes)).toEqual(new Map());
  });

  test('its facts while they are being applied, although its attempt has ended', () => {
    const carriers = new ActiveCarriers();
    const attempt = { attempts: 1, firstTriedAt: noon, nextDueAt: noon, lastResult: '200', attemptLog: '1' };
    const unset = (state: 'delivered' | 'pending'): unknown => {
      const write: Write = {
        write: 'recordAttempt',
        deliveryId: delivery.id,
        attempt: { ...attempt, state },
      };
      const [update] = makePlan('c', 1, [write], (id) => carriers.has(id))?.attempts ?? [];
      return update?.u;
    };
    carriers.begin([delivery.id]);
    expect(unset('delivered')).toHaveProperty('$unset', { payload: '', dueAt: '' });
    expect(unset('pending')).not.toHaveProperty('$unset');
    carriers.end([delivery.id]);
    expect(unset('delivered')).toHaveProperty('$unset', { payload: '', dueAt: '', owes: '' });
    expect(unset('pending')).toHaveProperty('$unset', { owes: '' });
  });
});
