/** Writes to messages and to the index of their upstream ids, and the one that settles a send whose owner vanished. */
import type { OutboundMessage } from '../../../rules/messages/message.ts';
import type { Database } from '../sqlite.ts';
import { messageUpstreamIds, messages } from '../tables.ts';
import { packToBind } from '../packed-ids.ts';
import { makeRuledLikely } from './likely.ts';
import { makeRuled } from './rules.ts';
import type { Ruled } from './rules.ts';
import type { SettledSend } from '../../sends.ts';

/** False if the id is taken, in this channel or another. */
type Insert = (channelId: string, epoch: number, message: OutboundMessage) => boolean;

export function makeInsertMessage(db: Database): Insert {
  const add = messages.insert(db, 'on conflict (id) do nothing');
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  return function insert(channelId, epoch, m) {
    if (add(m, { channelId, epoch }) === 0) return false;
    for (const upstreamId of m.upstreamIds) addUpstreamId({ channelId, upstreamId, messageId: m.id });
    return true;
  };
}

type RuledMessages = (
  ...ruled: [...Parameters<Ruled>, likely?: Partial<OutboundMessage>]
) => ReturnType<Ruled>;

export function makeRuledMessages(db: Database): RuledMessages {
  const carryOut = makeRuled(db, messages);
  const carryOutLikely = makeRuledLikely(db, messages);
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  return function carryOutAndIndex(channelId, id, rule, likely) {
    const isDone = likely !== undefined && carryOutLikely(channelId, id, rule, likely);
    // A list that `likely` has was empty, so that the join changed it; of one that it leaves out the id is there already.
    const changed = isDone ? Object.keys(likely) : carryOut(channelId, id, rule);
    const upstreamId = rule.join?.['upstreamIds'];
    if (upstreamId != null && changed?.includes('upstreamIds') === true)
      addUpstreamId({ channelId, upstreamId, messageId: id });
    return changed;
  };
}

interface StandingRow {
  state: SettledSend['state'];
  error: string | null;
  error_code: number | null;
}

export function sendOperations(db: Database) {
  const insert = makeInsertMessage(db);
  const standing = db.prepare<StandingRow>(
    'select state, error, error_code from messages where id = ? and channel_id = ?',
  );
  return {
    settleSend(message: OutboundMessage): SettledSend {
      insert(message.channelId, message.epoch, message);
      const row = standing.get(packToBind(message.id), packToBind(message.channelId));
      if (row === undefined) throw new Error('the message id is taken in another channel');
      return { state: row.state, error: row.error, errorCode: row.error_code };
    },
  };
}
