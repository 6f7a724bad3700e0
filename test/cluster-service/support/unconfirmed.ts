/**
 * Sends of which both calls ended without an answer: upstream may have accepted none, one or both copies. The service waits for a status
 * for longer than a storm lasts, so the test can say nothing more about them. [faults: I2]
 */
import type { Channel, World } from '../../support/world.ts';

const mostCopies = 2;

interface UpstreamCall {
  outcome: string | null;
}

/** The message ids of such sends, among the `queued` ones of the channels. */
export async function findUnconfirmed(
  { service }: World,
  channels: readonly Channel[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { id, key } of channels) {
    const queued = await listQueued(service, id, key);
    for (const { message_id } of queued) {
      const insight = await service.admin('GET', `/messages/${message_id}`);
      const { copies, calls }: { copies: number; calls: UpstreamCall[] } = insight.body;
      // A call that was refused before it reached upstream is no copy.
      const unanswered = calls.filter(({ outcome }) => outcome === 'unknown' || outcome === null);
      if (copies === mostCopies && unanswered.length >= mostCopies) found.add(message_id);
    }
  }
  return found;
}

/** All pages: a page may be short or even empty and yet have a cursor, because one query reads a bounded number of messages. */
async function listQueued(
  service: World['service'],
  channelId: string,
  key: string,
): Promise<{ message_id: string }[]> {
  const path = `/api/v1/messages?channel_id=${channelId}&direction=outbound&status=queued&limit=1000`;
  const found: { message_id: string }[] = [];
  for (let after = ''; ;) {
    const { body } = await service.call('GET', `${path}${after}`, { key });
    found.push(...(body?.messages ?? []));
    if (typeof body?.next_cursor !== 'string') return found;
    after = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
