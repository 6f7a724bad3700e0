import type { KnownMessage } from '../../../src/storage/journal/channel-journal.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { noon } from './samples.ts';
import type { OpenJournal } from './store.ts';

/** An open message as an activation reads it; null if it is not open. */
export async function loaded(
  store: OpenJournal,
  { id, channelId }: OutboundMessage,
): Promise<OutboundMessage | null> {
  const { openMessages } = await store.channelState.load(channelId, 1, noon, 1);
  return openMessages.find((message) => message.id === id) ?? null;
}

/** A message as its channel's owner reads it by id. */
export async function known(
  store: OpenJournal,
  { id, channelId }: OutboundMessage,
): Promise<KnownMessage | undefined> {
  const [found] = await store.channelState.findMessages(channelId, { ids: [id], upstreamIds: [] });
  return found;
}
