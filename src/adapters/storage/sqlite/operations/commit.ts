/** What a channel's owner writes: intents are compare-and-set, facts always go in. [architecture §4] */
import { isClaim, isIntent } from '../../../../../actors/channel/ports/writes.ts';
import type { Claim, Intent, Write } from '../../../../../actors/channel/ports/writes.ts';
import type { Database } from '../sqlite.ts';
import { deliveryOperations } from './deliveries.ts';
import { mailOperations } from './mails.ts';
import { messageOperations } from './messages.ts';
import { unmatchedFactOperations } from './unmatched-facts.ts';

export function commitOperations(db: Database) {
  const on = operationsOfCommit(db);

  function isFenced(channelId: string, epoch: number, write: Write): boolean {
    return isClaim(write) && epochOfClaimed(on, channelId, write) > epoch;
  }

  return {
    /**
     * One `applied` per write, in order. null: a claim met a higher epoch, so no intent of this commit was applied (the
     * activation that asked is dying and must not leave a claim behind) but every fact was. [faults: I7, 7]
     */
    commit(channelId: string, epoch: number, writes: readonly Write[]): boolean[] | null {
      const fenced = writes.some((write) => isFenced(channelId, epoch, write));
      const applied = writes.map((write) =>
        fenced && isIntent(write) ? false : apply(on, channelId, epoch, write),
      );
      return fenced ? null : applied;
    },
    ...epochOperations(db),
  };
}

function operationsOfCommit(db: Database) {
  return {
    ...messageOperations(db),
    ...unmatchedFactOperations(db),
    ...deliveryOperations(db),
    ...mailOperations(db),
  };
}

type On = ReturnType<typeof operationsOfCommit>;

function epochOfClaimed(on: On, channelId: string, claim: Claim): number {
  return claim.write === 'claimCopy'
    ? on.epochOfMessage({ channelId, messageId: claim.messageId })
    : on.epochOfDelivery({ channelId, deliveryId: claim.deliveryId });
}

function apply(on: On, channelId: string, epoch: number, write: Write): boolean {
  return isIntent(write) ? applyIntent(on, channelId, epoch, write) : applyFact(on, channelId, epoch, write);
}

function applyIntent(on: On, channelId: string, epoch: number, write: Intent): boolean {
  switch (write.write) {
    case 'insertMessage':
      return on.insertMessage(channelId, epoch, write.message);
    case 'claimCopy':
      return on.claimCopy({ channelId, messageId: write.messageId }, epoch, write);
    case 'claimDelivery':
      return on.claimDelivery({ channelId, deliveryId: write.deliveryId }, epoch, write);
    default:
      return write satisfies never;
  }
}

/** Facts answer true even when they say nothing new; only an insert can find its id taken. */
function applyFact(on: On, channelId: string, epoch: number, write: Exclude<Write, Intent>): boolean {
  switch (write.write) {
    case 'insertEcho':
      return on.insertMessage(channelId, epoch, write.message);
    case 'insertDelivery':
      return on.insertDelivery(channelId, epoch, write.delivery);
    case 'keepWaiting':
      on.keepWaiting(channelId, write.unmatched);
      return true;
    case 'recordAccepted':
      on.recordAccepted({ channelId, messageId: write.messageId }, write);
      return true;
    case 'recordDeferred':
      on.recordDeferred({ channelId, messageId: write.messageId }, write);
      return true;
    case 'recordUnknown':
      on.recordUnknown({ channelId, messageId: write.messageId }, write);
      return true;
    case 'recordFailed':
      on.recordFailed({ channelId, messageId: write.messageId }, write);
      return true;
    case 'recordStatus':
      on.recordStatus({ channelId, messageId: write.messageId }, write);
      return true;
    case 'recordAttempt':
      on.recordAttempt({ channelId, deliveryId: write.deliveryId }, write.attempt);
      return true;
    case 'dropWaiting':
      on.dropWaiting(channelId, write.unmatchedIds);
      return true;
    case 'addMail':
      on.addMail(write.mail);
      return true;
    default:
      return write satisfies never;
  }
}

function epochOperations(db: Database) {
  const openMessages = "channel_id = ?1 and state in ('sending', 'queued')";
  const pending = "channel_id = ?1 and state = 'pending'";
  const highest = db.prepare<{ epoch: number | null }>(`
    select max(epoch) as epoch from (
      select epoch from messages where ${openMessages} union all select epoch from deliveries where ${pending})`);
  const raiseMessages = db.prepare(`update messages set epoch = ?2 where ${openMessages} and epoch < ?2`);
  const raiseDeliveries = db.prepare(`update deliveries set epoch = ?2 where ${pending} and epoch < ?2`);
  const mint = db.prepare<{ epoch: number }>(`
    insert into owners (channel_id, epoch) values (?, 1)
    on conflict (channel_id) do update set epoch = epoch + 1 returning epoch`);

  return {
    /** False when a document of the channel holds a higher epoch: nothing is raised then. */
    raiseEpoch(channelId: string, epoch: number): boolean {
      if ((highest.get(channelId)?.epoch ?? 0) > epoch) return false;
      raiseMessages.run(channelId, epoch);
      raiseDeliveries.run(channelId, epoch);
      return true;
    },
    mintEpoch: (key: string): number => mint.get(key)?.epoch ?? 0,
  };
}
