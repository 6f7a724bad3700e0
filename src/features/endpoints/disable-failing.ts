/**
 * Disables endpoints that have accepted nothing for days, and mails their accounts once. The mail is written first, so that no endpoint is
 * disabled without one: after a crash between the two, the next run finds the endpoint again. [spec: Additions, Endpoints]
 */
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { endpointDisabled } from '../../rules/mails/webhooks.ts';
import { readOwner } from '../../rules/webhooks/endpoints.ts';
import { warnedAttempt } from '../../rules/webhooks/retry.ts';
import { dayMs } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import { intendChange } from '../channels/index.ts';
import { writeMail } from '../mails/index.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './entity.ts';
import { announceEndpoint } from './service.ts';
import { endpointSnapshot } from './snapshot.ts';

const perQuery = 200;

/** Returns how many were disabled. Throws StoreUnavailable. */
export async function disableFailing(world: World): Promise<number> {
  const { stores, clock, settings } = world;
  const days = settings.endpointDisabledAfterDays;
  // With 0 none is disabled, but what is gone is erased all the same.
  const afterMs = days === 0 ? Number.MAX_SAFE_INTEGER : days * dayMs;
  const until = clock.now() - Math.max(days, 1) * dayMs;
  let disabled = 0;
  let last: ChannelHealth | undefined;
  for (;;) {
    const found = await stores.health.failingUntil(until, perQuery, last);
    for (const { channelId: ownerId } of found)
      if (await disableIfFailing(world, ownerId, afterMs)) disabled += 1;
    last = found.at(-1);
    if (found.length < perQuery) return disabled;
  }
}

/**
 * False for a channel's own webhook, too. The endpoint is read before its health: whoever enables it, or gives it another address, ends its
 * failure first. Of one that is gone the record is erased: a node that had posted to it may have noted that after the removal.
 */
async function disableIfFailing(world: World, ownerId: string, afterMs: number): Promise<boolean> {
  const { stores, clock } = world;
  const { channelId, endpointId } = readOwner(ownerId);
  if (endpointId === null) return false;
  const endpoint = await stores.endpoints.ofOwner(endpointId, channelId);
  if (endpoint === null) await stores.health.forget(ownerId);
  const health = await stores.health.of(ownerId);
  if (endpoint === null || endpoint.disabledAt !== null || health === null) return false;
  const { failingSince } = health;
  // Without events it has not failed for days, but once.
  if (failingSince === null || lastRefusal(world, health) - failingSince < afterMs) return false;
  await mailDisabled(world, endpoint, { failingSince, lastFailure: health.lastFailure });
  await intendChange(world, channelId);
  const changed = await stores.endpoints.change(endpoint, ({ version }) =>
    version === endpoint.version ? { disabledAt: clock.now() } : null,
  );
  if (changed === null) return false;
  const { before, after } = changed;
  await audit(world, undefined, 'endpoint.disabled', endpointSnapshot(before), endpointSnapshot(after));
  world.log.info({ channel: channelId, endpoint: endpoint.id }, 'endpoint.disabled');
  await announceEndpoint(world, channelId, ownerId);
  return true;
}

/**
 * When it last refused an event that had been tried again, as far as events are: after quiet days one refused attempt may be a restart of the
 * receiver, which takes the next one.
 */
function lastRefusal(
  { settings: { webhookRetryDelaysMs } }: World,
  { warnedAt, deliveryFailedAt }: ChannelHealth,
): number {
  return (webhookRetryDelaysMs.length + 1 < warnedAttempt ? deliveryFailedAt : warnedAt) ?? 0;
}

async function mailDisabled(
  world: World,
  { id, channelId, accountId, url, secret, headers }: Endpoint,
  { failingSince: since, lastFailure }: { failingSince: number; lastFailure: string | null },
): Promise<void> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) return;
  const { baseUrl } = world.settings;
  await writeMail(world, {
    id: idFrom('mail', 'endpoint-disabled', id, String(since)),
    accountId,
    kind: 'endpoint-disabled',
    ...endpointDisabled(
      { ...channel, webhookUrl: url, webhookSecret: secret },
      { since, lastFailure, hasOwnHeaders: headers !== null, endpointId: id, baseUrl },
    ),
  });
}
