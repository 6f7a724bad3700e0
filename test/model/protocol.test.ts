/**
 * The protocol of a send and of a delivery, explored completely: the real actor, one channel, and in every order what the store,
 * upstream, the receiver, clocks and crashes can do within a budget. `protocol-long.test.ts` has the larger budgets.
 */
import { describe, expect, test } from '@jest/globals';
import type { Bug } from './channel-world.ts';
import { expectKept, explored } from './exploration.ts';
import type { Case } from './exploration.ts';

const events = ['message.sent'];
const budgets: Case[] = [
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1 } },
  { budget: { storeFaults: 1, outsideFaults: 1, overtakes: 1 } },
  { budget: { outsideFaults: 1, crashes: 1, slow: 1 } },
  { budget: { storeFaults: 2, slow: 1 } },
  { budget: { outsideFaults: 3 } },
  { budget: { crashes: 1, overtakes: 1 } },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1 }, reports: true },
  { budget: { outsideFaults: 1, overtakes: 1 }, reports: true },
  { budget: { outsideFaults: 1, crashes: 1 }, sends: 2 },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1 }, events },
  { budget: { outsideFaults: 1, overtakes: 1 }, events },
  { budget: { outsideFaults: 2 }, events },
];

describe('every run within its budget keeps I1 to I5, I7 and I8', () => {
  test.each(budgets)('%j', expectKept, 120_000);
});

/** Deliberate bugs, each of which violates an invariant: the explorations above prove nothing unless they find these. */
const bugs: [string, Case & { bug: Bug }][] = [
  [
    'I1: `sent` is answered before it is stored',
    {
      budget: { outsideFaults: 1, crashes: 1 },
      bug: {
        decided: (effects) =>
          effects.flatMap((effect) =>
            effect.effect === 'commit' && effect.reply !== null
              ? [
                  { effect: 'reply' as const, ...effect.reply },
                  { ...effect, reply: null },
                ]
              : [effect],
          ),
      },
    },
  ],
  [
    'I1: open messages of the previous owner are not loaded',
    {
      budget: { crashes: 1 },
      bug: {
        journal: (journal) => ({
          ...journal,
          load: async (...asked) => ({ ...(await journal.load(...asked)), openMessages: [] }),
        }),
      },
    },
  ],
  [
    'I2: a new owner does not know of the first copy',
    {
      budget: { outsideFaults: 1, crashes: 1 },
      bug: {
        journal: (journal, store) => ({
          ...journal,
          load(...asked) {
            for (const message of store.messages.values()) message.copies = 0;
            return journal.load(...asked);
          },
        }),
      },
    },
  ],
  [
    'I3: a claim without an answer of the store is answered 503',
    {
      budget: { storeFaults: 1, crashes: 1 },
      bug: {
        told: (message) =>
          message.type === 'claim-ended' && message.outcome === 'unanswered'
            ? { ...message, outcome: 'lost', found: null }
            : message,
      },
    },
  ],
  [
    'I4: the event of a status is not written',
    {
      budget: {},
      events,
      bug: {
        commit: (store, channelId, epoch, writes) =>
          writes.map((write) =>
            write.write === 'insertDelivery'
              ? { applied: false }
              : (store.commit(channelId, epoch, [write])[0] ?? { applied: false }),
          ),
      },
    },
  ],
  [
    'I5: a delivery that the receiver accepted is retried',
    {
      budget: {},
      events,
      bug: {
        told: (message) =>
          message.type === 'post-ended' && message.outcome === 'answered'
            ? { ...message, result: { ok: false, status: null, reason: 'timeout' } }
            : message,
      },
    },
  ],
  [
    'I7: an owner with an older epoch can claim',
    {
      budget: { outsideFaults: 1, overtakes: 1 },
      bug: {
        commit(store, channelId, epoch, writes) {
          for (const message of store.messages.values()) message.epoch = Math.min(message.epoch, epoch);
          return store.commit(channelId, epoch, writes);
        },
      },
    },
  ],
  [
    'I8: the answer of a call lowers a status that an event has raised',
    {
      budget: { outsideFaults: 1, overtakes: 1 },
      reports: true,
      bug: {
        commit(store, channelId, epoch, writes) {
          const results = store.commit(channelId, epoch, writes);
          for (const write of writes)
            if (write.write === 'recordAccepted')
              Object.assign(store.messages.get(write.messageId) ?? {}, { rank: write.rank });
          return results;
        },
      },
    },
  ],
];

describe('a bug in each is found', () => {
  test.each(bugs)('%s', async (name, what) => {
    const { found } = await explored(what);
    expect(found?.broken.join()).toContain(name.slice(0, 2));
  });
});
