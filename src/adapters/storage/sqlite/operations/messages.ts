/** Writes to messages and to the index of their upstream ids. */
import { ruledFields } from '../../journal/effect.ts';
import type { OutboundMessage } from '../../../../domain/messages/message.ts';
import type { Database } from '../sqlite.ts';
import { messageUpstreamIds, messages } from '../tables.ts';
import { makeRuled } from './rules.ts';
import type { Ruled } from './rules.ts';

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

export function makeRuledMessages(db: Database): Ruled {
  const on = makeRuled(db, messages, ruledFields.messages);
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  return {
    find: (channelId, id) => on.find(channelId, id),
    carryOut(item, rule) {
      const changed = on.carryOut(item, rule);
      const upstreamId = rule.join?.['upstreamIds'];
      if (upstreamId != null && changed?.includes('upstreamIds') === true)
        addUpstreamId({ channelId: item.channelId, upstreamId, messageId: item.id });
      return changed;
    },
  };
}
