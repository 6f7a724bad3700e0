/**
 * Sends of which both copies ended without an answer: upstream may have none, one or both. The service waits for a status until it gives
 * them up, which is longer than a storm; nobody can say more of them. [faults: I2]
 */
import type { Channel, World } from '../../support/world.ts';

const mostCopies = 2;

interface UpstreamCall {
  outcome: string | null;
}

/** Their ids, of the channels' sends that are `queued`. */
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
      // A call that was refused before reached nobody, and is no copy.
      const unanswered = calls.filter(({ outcome }) => outcome === 'unknown' || outcome === null);
      if (copies === mostCopies && unanswered.length >= mostCopies) found.add(message_id);
    }
  }
  return found;
}

/** A page may be short, or empty, and yet have a cursor: a look among many messages ends. */
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
