/** Rows of past messages in the embedded store of a service that does not run, in the order of time, as a service writes them. */
import { asText, copyRows, fillInBulk, insertUpstreamIds, keepChannels, messageId } from './bulk.ts';
import type { Database } from '../../src/storage/sqlite/sqlite.ts';

interface PastRows {
  /** Ids; half of the messages belong to the first thousand, so that those have a long history. */
  channels: readonly string[];
  messages: number;
  /** Time of the last message, ms since 1970; the others were sent before it, ten a second. */
  until: number;
}

const everyMs = 100;

/** Copies the only message of the store, with its upstream id and its deliveries. All ids and times differ. */
export async function insertPast(dataDir: string, past: PastRows): Promise<void> {
  if (past.messages > 0) await fillInBulk(dataDir, (db) => fill(db, past));
}

function fill(db: Database, { channels, messages, until }: PastRows): void {
  keepChannels(db, channels);
  db.exec(`
    create temp table past_messages as select * from messages limit 1;
    create temp table past_deliveries as select * from deliveries`);
  const at = `(${until - messages * everyMs} + i * ${everyMs})`;
  const among = `iif(i % 2 = 0, min(1000, ${channels.length}), ${channels.length})`;
  const channel = `(select id from past_channels where at = i * 7919 % ${among})`;
  copyRows(
    db,
    { count: messages, table: 'messages', like: 'past_messages' },
    {
      channel_id: channel,
      created_at: at,
      attempted_at: at,
      id: messageId(at),
      recipient: `cast(4915900000000 + i % 1000000 as text)`,
      upstream_ids: `'["wamid.' || ${asText(`hex(${messageId(at)})`)} || '"]'`,
    },
  );
  // Ids of deliveries are hashes.
  copyRows(
    db,
    { count: messages, table: 'deliveries', like: 'past_deliveries' },
    {
      channel_id: channel,
      created_at: `${at} + 1`,
      id: 'randomblob(16)',
      message_id: messageId(at),
    },
  );
  insertUpstreamIds(db);
}
