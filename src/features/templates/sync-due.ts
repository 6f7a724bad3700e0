/** Syncs that are due: asked for by a webhook or a refusal, after a failure, or a day after the last one. */
import type { Channel } from '../../rules/channels/channel.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { Fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { backOffMs } from '../../kernel/retry.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { findLicence } from '../channels/index.ts';
import type { TemplateSync } from './entity.ts';
import { syncEveryMs, syncTemplates } from './sync.ts';

const syncsAtOnce = 10;
const backOff = { firstMs: 30_000, maxMs: 21_600_000 };

/** Runs due syncs, scheduled by webhooks, refusals or the daily interval; returns their number. Runs once in the cluster. */
export async function syncDueTemplates(world: World): Promise<number> {
  const due = await world.stores.templates.dueSyncs(world.clock.now(), syncsAtOnce);
  await Promise.all(due.map((sync) => syncOne(world, sync)));
  return due.length;
}

async function syncOne(node: World, sync: TemplateSync): Promise<void> {
  const world = underRequest(node, newId());
  const { accountId, businessAccountId, failures } = sync;
  const owner = { accountId, businessAccountId };
  const channel = await channelFor(world, sync);
  // The next connection syncs, and so does the account's next list.
  if (channel === null) return world.stores.templates.syncFailed(sync, null);
  // Nothing else would begin the daily syncs anew when the licence is renewed.
  if (channel === 'unlicensed')
    return world.stores.templates.syncFailed(sync, world.clock.now() + syncEveryMs);
  try {
    await syncTemplates(world, owner, channel);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    await world.stores.templates.syncFailed(sync, world.clock.now() + backOffMs(backOff, failures));
    world.log.warn({ channel: channel.id, code: thrown.code, failures }, 'templates.not-synced');
  }
}

/** More numbers than upstream gives a business account. */
const maxOnBusinessAccount = 500;

/** A usable channel of the account on the business account; `unlicensed`: those that are active have no operable licence; null: none is active. */
async function channelFor(
  world: World,
  { accountId, businessAccountId }: TemplateSync,
): Promise<Channel | 'unlicensed' | null> {
  const { channels } = world.stores;
  const active = await channels.activeOn(businessAccountId, maxOnBusinessAccount, accountId);
  for (const channel of active) {
    const licence = await findLicence(world, channel);
    if (isOperable(licence, world.clock.now(), world.settings.graceMs)) return channel;
  }
  return active.length === 0 ? null : 'unlicensed';
}
