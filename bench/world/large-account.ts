/**
 * An account with ten thousand channels and millions of messages of a week, in the embedded store of a service that does not run: what its
 * pages read at their largest. Copies of the store's only message and of the deliveries of its two events.
 */
import { dayMs } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/storage/sqlite/sqlite.ts';
import { asText, copyRows, fillInBulk, insertUpstreamIds, keepChannels, messageId } from './bulk.ts';

interface Traffic {
  /** Ids; every tenth message is of the first one. */
  channels: readonly string[];
  /** Half of them sent, half received. */
  messages: number;
  /** Time of the last message, ms since 1970. */
  until: number;
}

/** Just within the default retention. */
const spanMs = 6.5 * dayMs;
/** Of every tenth message. */
export const busyPerson = '4915900000777';
const people = 1_000_000;
/** One sent message of this many was not delivered, and one event was given up. */
const rare = { failed: 5_000, givenUp: 20_000 };
/** Channels whose receiver fails: the last ones. Their newest events still wait. */
const failingChannels = 100;
const waiting = 20_000;

export async function insertTraffic(dataDir: string, traffic: Traffic): Promise<void> {
  await fillInBulk(dataDir, (db) => fill(db, traffic));
}

/** SQL of an `i`th message. */
interface Each {
  at: string;
  channel: string;
  person: string;
}

function fill(db: Database, { channels, messages, until }: Traffic): void {
  const count = messages / 2;
  const step = Math.floor(spanMs / count);
  const each = {
    at: `(${until - count * step} + i * ${step})`,
    channel: `(select id from past_channels where at = iif(i % 10 = 1, 0, i * 7919 % ${channels.length}))`,
    person: `iif(i % 10 = 0, '${busyPerson}', cast(4915900001000 + i * 7919 % ${people} as text))`,
  };
  keepChannels(db, channels);
  keepSamples(db);
  fillSent(db, count, each);
  fillReceived(db, count, each);
  const first = channels.length - Math.min(failingChannels, channels.length);
  const failing = `(select id from past_channels where at = ${first} + i % ${channels.length - first})`;
  fillWaiting(db, count, { ...each, channel: failing }, until + dayMs);
}

/** Sent messages, and the event that each was delivered. */
function fillSent(db: Database, count: number, each: Each): void {
  const { at, channel, person } = each;
  const id = messageId(at);
  const times = ['created_at', 'attempted_at', 'sent_at', 'delivered_at'].map((name) => [name, at]);
  copyRows(
    db,
    { count, table: 'messages', like: 'past_messages' },
    {
      id,
      channel_id: channel,
      recipient: person,
      upstream_ids: `'["wamid.' || ${asText(`hex(${id})`)} || '"]'`,
      delivery_failed: `i % ${rare.failed} = 1`,
      failed_at: `iif(i % ${rare.failed} = 1, ${at} + 900, null)`,
      ...Object.fromEntries(times),
    },
  );
  insertUpstreamIds(db);
  const isGivenUp = `i % ${rare.givenUp} = 2`;
  copyRows(
    db,
    { count, table: 'deliveries', like: 'past_statuses' },
    {
      ...deliveryOf(each),
      message_id: id,
      state: `iif(${isGivenUp}, 'failed', 'delivered')`,
      attempt_log: `${at} + 2 || iif(${isGivenUp}, ' 12 500 status', ' 12 200 -')`,
      last_result: `iif(${isGivenUp}, '500', '200')`,
    },
  );
}

function fillReceived(db: Database, count: number, each: Each): void {
  const received = { person: each.person, upstream_id: `'in.' || i` };
  copyRows(db, { count, table: 'deliveries', like: 'past_received' }, { ...deliveryOf(each), ...received });
}

/** The newest, whose receivers fail. */
function fillWaiting(db: Database, count: number, each: Each, dueAt: number): void {
  copyRows(
    db,
    { count, table: 'deliveries', like: 'past_received', only: `i >= ${count - waiting}` },
    {
      ...deliveryOf(each),
      person: each.person,
      state: `'pending'`,
      next_due_at: String(dueAt),
      attempt_log: `${each.at} + 2 || ' 12 500 status'`,
      last_result: `'500'`,
    },
  );
}

/** Ids of deliveries, and of received messages, are hashes. */
function deliveryOf({ at, channel }: Each): Record<string, string> {
  return {
    channel_id: channel,
    id: 'randomblob(16)',
    message_id: 'randomblob(16)',
    created_at: `${at} + 1`,
    first_tried_at: `${at} + 1`,
    attempt_log: `${at} + 2 || ' 12 200 -'`,
  };
}

function keepSamples(db: Database): void {
  db.exec(`
    create temp table past_messages as select * from messages limit 1;
    create temp table past_statuses as select * from deliveries where event = 'message.delivered' limit 1;
    create temp table past_received as select * from deliveries where event = 'message.received' limit 1`);
}
