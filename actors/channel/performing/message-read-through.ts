/**
 * Look-up of messages by id, as a read-through cache: remembered messages are answered without the store, and answers of the store are
 * remembered. This file has every access to that cache: how a send, a commit or an uncertain commit changes it. It decides nothing: a turn
 * gets the same messages with or without it.
 */
import type { SendFields, TurnWrite } from '../messages.ts';
import type {
  KnownMessage,
  NamedMessage,
  SubjectMessage,
} from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelWork, OwnPorts } from './channel-ports.ts';

/** All of these messages from memory, without waiting; null when the store has to be asked. */
export function recallAll(
  { recent }: OwnPorts,
  named: readonly NamedMessage[],
  work: ChannelWork,
): SubjectMessage[] | null {
  const recalled: SubjectMessage[] = [];
  for (const { id } of named) {
    const message = id === null ? undefined : recent.find(work, id);
    if (message === undefined) return null;
    if (!recalled.includes(message)) recalled.push(message);
  }
  return recalled;
}

/** `otherIds`: upstream ids to look up as well. `found`: only the messages that the store was asked for. */
export async function readThrough(
  ports: OwnPorts,
  named: readonly NamedMessage[],
  otherIds: readonly string[],
  work: ChannelWork,
): Promise<{ known: SubjectMessage[]; found: KnownMessage[] }> {
  const { recalled, ids, upstreamIds } = recall(ports, named, work);
  for (const id of otherIds) upstreamIds.add(id);
  if (ids.size + upstreamIds.size === 0) return { known: [...recalled.values()], found: [] };
  const by = { ids: [...ids], upstreamIds: [...upstreamIds] };
  const found = await ports.store.findMessages(work.key, by);
  for (const message of found) {
    recalled.set(message.id, message); // the store's copy has the upstream ids, too
    // While the send is open, another owner may be about to emit events about it.
    if (message.state === 'sent') ports.recent.remember(work, message);
  }
  return { known: [...recalled.values()], found };
}

/**
 * The remembered messages among these, and the ids to look up, each once: a hundred receipts of one echo with fifty parts would be 5,000 rows.
 * [faults: I9]
 */
function recall(
  { recent }: OwnPorts,
  named: readonly NamedMessage[],
  work: ChannelWork,
): { recalled: Map<string, SubjectMessage>; ids: Set<string>; upstreamIds: Set<string> } {
  const recalled = new Map<string, SubjectMessage>();
  const ids = new Set<string>();
  const upstreamIds = new Set<string>();
  for (const { id, upstreamId } of named) {
    const message = id === null ? undefined : recent.find(work, id);
    if (message !== undefined) {
      recalled.set(message.id, message);
      continue;
    }
    if (id !== null) ids.add(id);
    upstreamIds.add(upstreamId);
  }
  return { recalled, ids, upstreamIds };
}

/** The first claim of the send is stored: upstream will report statuses within seconds. */
export function rememberSend({ recent }: OwnPorts, send: SendFields, work: ChannelWork): void {
  const { messageId: id, recipient } = send;
  recent.remember(work, { id, origin: 'service', recipient, statusAt: null });
}

/** These writes are stored. */
export function rememberTimes({ recent }: OwnPorts, writes: readonly TurnWrite[], work: ChannelWork): void {
  for (const write of writes) if (isOfStatus(write)) recent.raise(work, write.messageId, write.at);
}

/** These writes may be stored: further look-ups go to the store. */
export function forgetTimes({ recent }: OwnPorts, writes: readonly TurnWrite[]): void {
  for (const write of writes) if (isOfStatus(write)) recent.forget(write.messageId);
}

function isOfStatus(
  write: TurnWrite,
): write is Extract<TurnWrite, { write: 'recordStatus' | 'recordAccepted' }> {
  return write.write === 'recordStatus' || write.write === 'recordAccepted';
}
