/** Message contents and unmatched facts, which are sealed at rest. */
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import { readContent } from '../../../src/rules/messages/content.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { sleep } from '../../../src/kernel/clock.ts';
import type {
  InboundPage,
  PendingInbound,
  UnmatchedFact,
  OpenedMessage,
} from '../../../src/storage/journal/channel-journal.ts';
import type { SealedUnmatchedFact } from '../../../src/storage/journal/writes.ts';
import type { ChannelPorts } from './channel-ports.ts';

/** Decrypting takes microseconds, but there may be thousands of records: the event loop gets a turn after each slice. [faults: I9] */
const opensPerSlice = 500;

export async function opened(
  ports: ChannelPorts,
  messages: readonly OutboundMessage[],
): Promise<OpenedMessage[]> {
  const all: OpenedMessage[] = [];
  for (const message of messages) {
    all.push({ message, content: openContent(ports, message) });
    if (all.length % opensPerSlice === 0) await sleep(ports.clock, 0);
  }
  return all;
}

/** null when the key is gone. Such a message can't be sent again; it can still be confirmed, or it fails in the end. */
function openContent({ sealer, log }: ChannelPorts, message: OutboundMessage): Content | null {
  if (message.content === null) return null;
  try {
    const plain = sealer.open(message.content, sealContext.content(message.channelId, message.id));
    return readContent(JSON.parse(Buffer.from(plain).toString()));
  } catch {
    log.error({ channel: message.channelId, message: message.id }, 'send.content-unreadable');
    return null;
  }
}

/** Unmatched facts, decrypted. A fact whose key is gone can't be matched and expires. */
export async function openedFacts(
  ports: ChannelPorts,
  channelId: string,
  sealed: readonly SealedUnmatchedFact[],
): Promise<UnmatchedFact[]> {
  const all: UnmatchedFact[] = [];
  for (const [index, kept] of sealed.entries()) {
    if (index % opensPerSlice === opensPerSlice - 1) await sleep(ports.clock, 0);
    const fact = openFact(ports, channelId, kept);
    if (fact !== null && fact.kind !== 'inbound') all.push({ ...kept, fact });
  }
  return all;
}

export const noInbound: InboundPage = { pending: [], echoes: [], upTo: 0, storeHasMore: false };

/** Pending messages after `after`; a message whose key is gone is skipped. */
export async function openedInbound(
  ports: ChannelPorts,
  channelId: string,
  after: number,
  limit: number,
): Promise<InboundPage> {
  const sealed = await ports.store.pendingInbound(channelId, after, limit);
  const pending: PendingInbound[] = [];
  const echoes: UnmatchedFact[] = [];
  for (const kept of sealed) {
    const dueAt = kept.dueAt ?? after;
    const fact = openFact(ports, channelId, kept);
    if (fact?.kind === 'echo') echoes.push({ ...kept, fact, dueAt });
    else if (fact?.kind === 'inbound') pending.push({ ...kept, fact, dueAt });
  }
  return { pending, echoes, upTo: sealed.at(-1)?.dueAt ?? after, storeHasMore: sealed.length >= limit };
}

function openFact(
  { sealer, log }: ChannelPorts,
  channelId: string,
  { id, fact }: SealedUnmatchedFact,
): UnmatchedFact['fact'] | InboundMessage | null {
  try {
    return JSON.parse(sealer.openText(fact, sealContext.unmatched(channelId, id)));
  } catch {
    log.error({ channel: channelId }, 'unmatched-fact.unreadable');
    return null;
  }
}
