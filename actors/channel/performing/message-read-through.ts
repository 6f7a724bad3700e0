/**
 * The store's look-up of messages by id, read through the memory of recent ones: what is remembered is answered without the store,
 * what the store answers is remembered. Everything that knows of that memory stands here: what a send, a commit or a doubt about one
 * changes in it. No decision: a turn is told the same messages either way.
 */
import type { SendFields, TurnWrite } from '../messages.ts';
import type { KnownMessage, NamedMessage, SubjectMessage } from '../ports/store.ts';
import type { ChannelWork, OwnPorts } from './channel-ports.ts';

/** All of these messages from memory, without waiting; null: the store has to be asked. */
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

/** `found`: those the store was asked for, `otherIds` of upstream's among them. */
export async function readThrough(
  ports: OwnPorts,
  named: readonly NamedMessage[],
  otherIds: readonly string[],
  work: ChannelWork,
): Promise<{ known: SubjectMessage[]; found: KnownMessage[] }> {
  const { recalled, ids, upstreamIds } = recall(ports, named, work);
  upstreamIds.push(...otherIds);
  if (ids.length + upstreamIds.length === 0) return { known: [...recalled.values()], found: [] };
  const found = await ports.store.findMessages(work.key, { ids, upstreamIds });
  for (const message of found) {
    recalled.set(message.id, message); // it knows the upstream ids too
    // While its send is open somebody else may be about to tell of it.
    if (message.state === 'sent') ports.recent.remember(work, message);
  }
  return { known: [...recalled.values()], found };
}

/** What is remembered of these messages, and what has to be asked for. */
function recall(
  { recent }: OwnPorts,
  named: readonly NamedMessage[],
  work: ChannelWork,
): { recalled: Map<string, SubjectMessage>; ids: string[]; upstreamIds: string[] } {
  const recalled = new Map<string, SubjectMessage>();
  const ids: string[] = [];
  const upstreamIds: string[] = [];
  for (const { id, upstreamId } of named) {
    const message = id === null ? undefined : recent.find(work, id);
    if (message !== undefined) {
      recalled.set(message.id, message);
      continue;
    }
    if (id !== null) ids.push(id);
    upstreamIds.push(upstreamId);
  }
  return { recalled, ids, upstreamIds };
}

/** The first claim of the send is on record: upstream will report statuses within seconds. */
export function rememberSend({ recent }: OwnPorts, send: SendFields, work: ChannelWork): void {
  const { messageId: id, recipient } = send;
  recent.remember(work, { id, origin: 'service', recipient, statusAt: null });
}

/** These writes are on record. */
export function rememberTimes({ recent }: OwnPorts, writes: readonly TurnWrite[], work: ChannelWork): void {
  for (const write of writes) if (isOfStatus(write)) recent.raise(work, write.messageId, write.at);
}

/** These writes may be on record: from now on the store is asked. */
export function forgetTimes({ recent }: OwnPorts, writes: readonly TurnWrite[]): void {
  for (const write of writes) if (isOfStatus(write)) recent.forget(write.messageId);
}

function isOfStatus(
  write: TurnWrite,
): write is Extract<TurnWrite, { write: 'recordStatus' | 'recordAccepted' }> {
  return write.write === 'recordStatus' || write.write === 'recordAccepted';
}
