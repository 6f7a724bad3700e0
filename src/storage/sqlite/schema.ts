/**
 * Migrates a file to this version. Missing tables, columns and indexes are made from the entities, without a line here. Other changes (a
 * column renamed, split or filled from others, an index redefined) are rewrites. A released rewrite is never edited: a change is a new
 * rewrite at the end.
 */
import type { Database } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** The last version without rewrites. */
const firstVersion = 2;

/** SQL statements in order. Each runs once, before missing tables, columns and indexes are made. */
const rewrites: readonly string[] = [
  // Replaces the eight columns of a profile by one. Codes issued before are lost: they were valid for minutes, and the person can connect again.
  `alter table channels add column profile text;
   alter table channels add column subscribed_asset text;
   update channels set subscribed_asset = business_account_id, profile = json_object('type', 'chatapp',
     'phoneNumberId', phone_number_id, 'phoneNumber', phone_number, 'businessAccountId', business_account_id,
     'qualityRating', quality_rating, 'isDualUse', json(iif(is_dual_use, 'true', 'false')))
     where channel_type = 'chatapp' and phone_number_id is not null;
   update channels set subscribed_asset = page_id, profile = json_object('type', 'photoapp',
     'accountId', photoapp_account_id, 'username', photoapp_username, 'pageId', page_id)
     where channel_type = 'photoapp' and photoapp_account_id is not null;
   update channels set subscribed_asset = page_id, profile = json_object('type', 'pagechat', 'pageId', page_id)
     where channel_type = 'pagechat' and page_id is not null;
   drop index active_channels_by_business;
   drop index active_channels_by_page;
   alter table channels drop column phone_number_id;
   alter table channels drop column phone_number;
   alter table channels drop column business_account_id;
   alter table channels drop column quality_rating;
   alter table channels drop column photoapp_account_id;
   alter table channels drop column photoapp_username;
   alter table channels drop column page_id;
   alter table channels drop column is_dual_use;
   alter table channels drop column reserved_profile;`,
  // Sweeps find old items channel by channel, along the indexes of the logs.
  `drop index if exists messages_by_age;
   drop index if exists deliveries_by_age;`,
  // Empty, to raise the version: payloads are in a separate table, where an older version would not look, so it must reject the file.
  // Payloads in the rows of deliveries stay there until they are erased.
  '',
  // The same for contents of messages.
  '',
  // Ids of messages and deliveries become bytes: `complete` rebuilds their tables.
  '',
];

const version = firstVersion + rewrites.length;

/**
 * Runs in one transaction. Throws if a newer version of the program rewrote the file; additional tables and columns of a newer version are
 * left alone.
 */
export function migrate(db: Database, tables: Tables): 'new' | 'known' {
  const { user_version: found = 0 } = db.prepare<{ user_version: number }>('pragma user_version').get() ?? {};
  if (found > version) {
    throw new Error(`the store was written by a newer version (schema ${found}, this one knows ${version})`);
  }
  // Indexes of a rebuilt table may be too large to sort in memory. The pragma has no effect inside a transaction.
  db.exec('pragma temp_store = default; begin immediate');
  try {
    // A new file has nothing to rewrite.
    if (found > 0) for (const sql of rewrites.slice(Math.max(0, found - firstVersion))) db.exec(sql);
    for (const table of tables.values()) table.complete(db);
    db.exec(`pragma user_version = ${version}; commit; pragma temp_store = memory`);
    return found === 0 ? 'new' : 'known';
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}
