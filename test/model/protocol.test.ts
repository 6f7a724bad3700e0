/**
 * The protocol of a send and of a delivery, explored completely: the real actor, one channel, and in every order what the store,
 * upstream, the receiver, clocks and crashes can do within a budget. `MODEL_BUDGET=wide` uses the larger budgets, for minutes.
 */
import { describe, expect, test } from '@jest/globals';
import { rules } from '../actors/support/model-history.ts';
import { ChannelWorld } from './channel-world.ts';
import type { Budget, Bug, Plan } from './channel-world.ts';
import { explore } from './explore.ts';
import type { Explored } from './explore.ts';

const isWide = process.env['MODEL_BUDGET'] === 'wide';
const maxStates = isWide ? 2_000_000 : 100_000;

type Case = Partial<Omit<Plan, 'budget' | 'rules'>> & { budget: Partial<Budget> };

function explored({ budget, ...plan }: Case): Promise<Explored> {
  const nothing = { storeFaults: 0, outsideFaults: 0, crashes: 0, overtakes: 0, slow: 0 };
  const whole = { events: [], sends: 1, reports: false, rules, ...plan, budget: { ...nothing, ...budget } };
  return explore(() => new ChannelWorld(whole), maxStates);
}

/** Printed with the result, so that a run with few states is noticed. */
async function expectKept(what: Case): Promise<void> {
  const startedAt = performance.now();
  const { found, ...sizes } = await explored(what);
  expect(found).toBeNull();
  expect(sizes.ends).toBeGreaterThan(1);
  const ms = Math.round(performance.now() - startedAt);
  process.stdout.write(`  ${JSON.stringify(what)}: ${JSON.stringify(sizes)}, ${ms} ms\n`);
}

const events = ['message.sent'];
const narrow: Case[] = [
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
const wide: Case[] = [
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, overtakes: 1, slow: 1 } },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, slow: 1 }, reports: true },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, slow: 1 }, events },
  { budget: { storeFaults: 1, outsideFaults: 1, overtakes: 1 }, events, reports: true },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1 }, sends: 2 },
];

describe('every run within its budget keeps I1 to I5, I7 and I8', () => {
  test.each(isWide ? [...narrow, ...wide] : narrow)('%j', expectKept, isWide ? 3_600_000 : 120_000);
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
