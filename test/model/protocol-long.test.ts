/** The protocol of a send and of a delivery within larger budgets than in `protocol.test.ts`: up to some 30,000 states. */
import { describe, test } from '@jest/globals';
import { expectKept } from './exploration.ts';
import type { Case } from './exploration.ts';

const events = ['message.sent'];
const budgets: Case[] = [
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, slow: 1 }, reports: true },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, slow: 1 }, events },
  { budget: { storeFaults: 1, outsideFaults: 1, overtakes: 1 }, events, reports: true },
  { budget: { storeFaults: 1, outsideFaults: 1, crashes: 1 }, sends: 2 },
];
/** 110,000 states, two minutes of a core: with `MODEL_BUDGET=wide`. */
const widest: Case[] = [{ budget: { storeFaults: 1, outsideFaults: 1, crashes: 1, overtakes: 1, slow: 1 } }];

describe('every run within its budget keeps I1 to I5, I7 and I8', () => {
  const asked = process.env['MODEL_BUDGET'] === 'wide' ? [...budgets, ...widest] : budgets;
  test.each(asked)('%j', expectKept, 3_600_000);
});
