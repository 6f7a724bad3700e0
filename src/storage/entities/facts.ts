import type { SealedUnmatchedFact } from '../journal/writes.ts';
import { entityBy, entity } from './entity.ts';
import { integer, integerOrNull, text, bytes, textOrNull } from './fields.ts';
import { hourMs } from '../../kernel/clock.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';

type StoredUnmatchedFact = SealedUnmatchedFact & { channelId: string };

export const unmatchedFacts = entityBy<StoredUnmatchedFact>('unmatched_facts', ['channelId', 'id'], {
  fields: {
    channelId: text(),
    id: text({ inDocument: 'factId' }),
    fact: text(),
    expiresAt: integer({ isDate: true }),
    dueAt: integerOrNull(),
    tries: integer({ before: 0 }),
  },
  indexes: {
    byExpiry: {
      on: ['expiresAt'],
      file: 'unmatched_facts_by_expiry',
      database: 'expiry',
      expiresAfterMs: hourMs,
    },
    waiting: { on: ['channelId', 'expiresAt', 'id'], where: { absent: 'dueAt' }, file: 'waiting_facts' },
    due: {
      on: ['channelId', 'dueAt'],
      where: { present: 'dueAt' },
      filter: { dueAt: { $gte: 0 } },
      file: 'due_facts',
      database: 'due',
    },
  },
  inDatabase: { of_channel: { key: { channelId: 1, expiresAt: 1 } } },
});

/** Facts that were put aside at `asideAt` (ms): `asideOf` has their channel, and `channelId` is empty, which no query asks for. */
export type StoredStrandedFacts = StrandedFacts & { asideAt: number | null; asideOf: string | null };

/** The table and its indexes are named `parked_facts` on disk, as in older versions. */
export const strandedFacts = entity<StoredStrandedFacts>('parked_facts', {
  fields: {
    id: text(),
    channelId: text(),
    at: integer(),
    nodesGone: integer({ before: 0 }),
    asideAt: integerOrNull({ inDocument: 'aside' }),
    asideOf: textOrNull(),
    facts: bytes({ inDocument: 'payload' }),
  },
  indexes: {
    ofChannel: { on: ['channelId', 'at', 'id'], file: 'parked_facts_of_channel', database: 'of_channel' },
    aside: {
      on: ['asideAt'],
      where: { present: 'asideAt' },
      file: 'parked_facts_aside',
      database: 'aside',
    },
  },
});

/** Facts of upstream that were acknowledged with 200 while the channel's owner was out of reach. [architecture §6.1, §7] */
export interface StrandedFacts {
  /** Derived from the facts: adding the same ones again changes nothing. */
  id: string;
  channelId: string;
  /** JSON of `ChannelFact[]`, under `sealContext.strandedFacts`. */
  facts: SealedBytes;
  /** Time of arrival (ms); the channel's owner gets its facts in this order. */
  at: number;
  /** Number of nodes that died while they handled these facts. [faults: 152] */
  nodesGone: number;
}
