/**
 * Brings a file to this version of the program. Tables, columns and indexes that it lacks are made from the entities: that needs
 * no line here. What they can't say (a column renamed, split or filled from others, an index whose definition changed) is a
 * rewrite. A rewrite, once released, is never edited: a change is a new one, at the end.
 */
import type { Database } from './sqlite.ts';
import { tables } from './tables.ts';

/** The version whose tables were made by hand: every rewrite came after it. */
const firstVersion = 2;

/** SQL, in order. Each runs once, before what is missing is made. */
const rewrites: readonly string[] = [
  // The profile was seven columns, whatever the kind. Who holds a code from before connects again: it was good for minutes.
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
  // What is old is found channel by channel, along the logs.
  `drop index if exists messages_by_age;
   drop index if exists deliveries_by_age;`,
  // Payloads stand in a table of their own, where an earlier version would not look for them: it must refuse the file. Those that stand
  // in the rows of deliveries stay there until they are erased.
  '',
  // So do contents of messages.
  '',
  // Ids of messages and deliveries are bytes: their tables are made anew from what is there.
  '',
];

const version = firstVersion + rewrites.length;

/**
 * All of it or nothing. Throws when the file was rewritten by a newer version of the program; tables and columns of one are
 * no hindrance, this version leaves them alone.
 */
export function migrate(db: Database): void {
  const { user_version: found = 0 } = db.prepare<{ user_version: number }>('pragma user_version').get() ?? {};
  if (found > version) {
    throw new Error(`the store was written by a newer version (schema ${found}, this one knows ${version})`);
  }
  // Indexes of what was made anew may be too large to be sorted in memory. It can't be said within a transaction.
  db.exec('pragma temp_store = default; begin immediate');
  try {
    // An empty file has nothing to rewrite.
    if (found > 0) for (const sql of rewrites.slice(Math.max(0, found - firstVersion))) db.exec(sql);
    for (const table of tables) table.complete(db);
    db.exec(`pragma user_version = ${version}; commit; pragma temp_store = memory`);
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}
