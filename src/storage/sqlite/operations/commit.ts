/** Writes of a channel's owner: intents are compare-and-set, facts always apply. [architecture §4] */
import type { Write } from '../../journal/writes.ts';
import { isClaim, isIntent } from '../../journal/rule.ts';
import type { Claim, Effect } from '../../journal/rule.ts';
import { toEffect } from '../../journal/effects.ts';
import { packId, packToBind } from '../packed-ids.ts';
import type { Database } from '../sqlite.ts';
import { deliveries, unmatchedFacts } from '../tables.ts';
import { mailOperations } from './mails.ts';
import { makeInsertMessage, makeRuledMessages } from './messages.ts';
import { makeRuled, makeUpdateWhere } from './rules.ts';

export function commitOperations(db: Database) {
  const on = makeJournal(db);

  function isBeyond(epoch: number, channelId: string, { to, id }: Claim): boolean {
    return (on.readEpoch[to].get(packToBind(id), packToBind(channelId))?.epoch ?? 0) > epoch;
  }

  return {
    /**
     * Returns one `applied` per write, in order. Null: a claim met a higher epoch. Then no intent of this commit was applied, because the
     * fenced activation must leave no claim behind, but every fact was. [faults: I7, 7]
     */
    commit(channelId: string, epoch: number, writes: readonly Write[]): boolean[] | null {
      const effects = writes.map(toEffect);
      const isFenced = effects.some((effect) => isClaim(effect) && isBeyond(epoch, channelId, effect));
      const applied = effects.map((effect) =>
        isFenced && isIntent(effect) ? false : apply(on, channelId, epoch, effect),
      );
      return isFenced ? null : applied;
    },
    ...epochOperations(db),
  };
}

function makeJournal(db: Database) {
  const ruled = {
    messages: makeRuledMessages(db),
    deliveries: makeRuled(db, deliveries),
  };
  const addDelivery = deliveries.insert(db, 'on conflict (id) do nothing');
  const dropUnmatched = db.prepare('delete from unmatched_facts where channel_id = ? and id = ?');
  return {
    ruled,
    readEpoch: { messages: prepareEpochRead(db, 'messages'), deliveries: prepareEpochRead(db, 'deliveries') },
    update: {
      messages: ruled.messages,
      deliveries: makeUpdateWhere(db, deliveries),
    },
    insertMessage: makeInsertMessage(db),
    insertDelivery: (...[item, instead]: Parameters<typeof addDelivery>) => addDelivery(item, instead) === 1,
    keepUnmatched: unmatchedFacts.put(db),
    dropUnmatched: (channelId: string, id: string) => dropUnmatched.run(channelId, id),
    mails: mailOperations(db),
  };
}

function prepareEpochRead(db: Database, table: string) {
  return db.prepare<{ epoch: number }>(`select epoch from ${table} where id = ? and channel_id = ?`);
}

/** Facts return true even if they change nothing, except a line of a mail that was there. */
function apply(
  on: ReturnType<typeof makeJournal>,
  channelId: string,
  epoch: number,
  effect: Effect,
): boolean {
  switch (effect.does) {
    case 'insert':
      if (effect.to === 'messages') return on.insertMessage(channelId, epoch, effect.item);
      return on.insertDelivery(effect.item, effect.isCopy === true ? {} : { channelId, epoch });
    case 'claim': {
      // A delivery's claim under the stored epoch writes no page, and alone in its batch costs no fsync.
      const rule = { ...effect.rule, set: { epoch, ...effect.rule.set } };
      return on.ruled[effect.to](channelId, effect.id, rule) !== null;
    }
    case 'update':
      on.update[effect.to](channelId, effect.id, effect.rule, effect.likely);
      return true;
    case 'keep':
      on.keepUnmatched({ ...effect.unmatched, channelId });
      return true;
    case 'drop':
      for (const id of effect.unmatchedIds) on.dropUnmatched(channelId, id);
      return true;
    case 'mail':
      return on.mails.addMail(effect.mail);
    default:
      return effect satisfies never;
  }
}

function epochOperations(db: Database) {
  // The indexes are named: along the log of the channel these statements would read its whole history, in the writing thread.
  const [openMessages, isOpen] = ['messages indexed by open_messages', "state in ('sending', 'queued')"];
  const [pendingDeliveries, isPending] = ['deliveries indexed by pending_deliveries', "state = 'pending'"];
  const highest = db.prepare<{ epoch: number | null }>(`
    select max(epoch) as epoch from (
      select epoch from ${openMessages} where channel_id = ?1 and ${isOpen}
      union all select epoch from ${pendingDeliveries} where channel_id = ?1 and ${isPending})`);
  const raise = (of: string, isUnfinished: string) =>
    db.prepare(`update ${of} set epoch = ?2 where channel_id = ?1 and ${isUnfinished} and epoch < ?2`);
  const [raiseMessages, raiseDeliveries] = [raise(openMessages, isOpen), raise(pendingDeliveries, isPending)];
  const mint = db.prepare<{ epoch: number }>(`
    insert into owners (channel_id, epoch) values (?, 1)
    on conflict (channel_id) do update set epoch = epoch + 1 returning epoch`);

  return {
    /** Raises the epoch of open messages and pending deliveries. False, without effect, if one of them has a higher epoch. */
    raiseEpoch(channelId: string, epoch: number): boolean {
      const packed = packId(channelId);
      if ((highest.get(packed)?.epoch ?? 0) > epoch) return false;
      raiseMessages.run(packed, epoch);
      raiseDeliveries.run(packed, epoch);
      return true;
    },
    mintEpoch: (key: string): number => mint.get(key)?.epoch ?? 0,
  };
}
