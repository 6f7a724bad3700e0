/** What messages say, sealed at rest. */
import { sealContext } from '../../../src/domain/accounts/sealed.ts';
import type { Content } from '../../../src/domain/messages/content.ts';
import { readContent } from '../../../src/domain/messages/read-content.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import { sleep } from '../../../src/kernel/clock.ts';
import type { PendingInbound, UnmatchedFact, SealedUnmatchedFact } from '../ports.ts';
import type { OpenedMessage } from '../sends/state.ts';
import type { ChannelPorts } from './channel-ports.ts';

/** Opening takes microseconds, but there may be thousands: the event loop gets its turn in between. [faults: I9] */
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

/** null: its key is gone. Such a message can't be sent again; it can still be confirmed, or it fails in the end. */
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

/** Unmatched facts as they were; one whose key is gone can't be matched and is left to expire. */
export function openedFacts(
  { sealer, log }: ChannelPorts,
  channelId: string,
  sealed: readonly SealedUnmatchedFact[],
): (UnmatchedFact | PendingInbound)[] {
  return sealed.flatMap(({ id, fact, expiresAt, dueAt }) => {
    try {
      const opened = JSON.parse(sealer.openText(fact, sealContext.held(channelId, id)));
      return { id, fact: opened, expiresAt, ...(dueAt === null ? {} : { dueAt }) };
    } catch {
      log.error({ channel: channelId }, 'unmatched-fact.unreadable');
      return [];
    }
  });
}
