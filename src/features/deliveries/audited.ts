/** Retries and replays are audited, because the receiver gets events again: the log shows who caused it, operators above all. */
import { toIso } from '../../kernel/clock.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { World } from '../world.ts';
import type { AskedReplay } from './types.ts';

/** No entry for API keys, which do it all day: the request log has their calls. */
export async function auditRetry(
  world: World,
  { by }: Caller,
  action: string,
  done: Snapshot,
): Promise<void> {
  if (by?.kind !== 'key') await audit(world, by, action, null, done);
}

/** `channelId` null: all channels. No entry if nothing was begun. */
export async function auditReplay(
  world: World,
  caller: Caller,
  channelId: string | null,
  { since, until, events, endpointId = null, begun }: AskedReplay & { begun: number },
): Promise<void> {
  if (begun === 0) return;
  const shown = {
    since: toIso(since),
    until: toIso(until),
    events: events?.join(' ') ?? null,
    ...(endpointId === null ? {} : { endpoint_id: endpointId }),
    begun,
  };
  await auditRetry(world, caller, 'deliveries.replayed', {
    accountId: caller.accountId,
    subject: channelId,
    shown,
  });
}
