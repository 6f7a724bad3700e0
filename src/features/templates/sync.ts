/** Syncs of stored templates with upstream's: on demand, and those that are due. */
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { diffTemplates } from './rules/diff.ts';
import { everything } from '../../kernel/paging.ts';
import type { UpstreamTemplate } from '../../upstream/template-calls.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { dayMs, hourMs, inTurns } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { backOffMs } from '../../kernel/retry.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { forgetForSend } from './template-cache.ts';
import type { TemplateSync } from './entity.ts';
import { findLicence } from '../channels/index.ts';

/** Dependencies of a sync. */
export type SyncWorld = Pick<
  World,
  'stores' | 'clock' | 'upstreamTemplates' | 'templateSyncs' | 'templateCache'
>;

/** Interval of syncs, which find changes that webhooks missed. */
const everyMs = dayMs;

/**
 * Reads all templates of the owner from upstream through this channel and stores the differences. Resolves when a list requested
 * after this call is stored. Throws Fault `upstream_refused`, `upstream_busy`, `upstream_failed`.
 */
export function syncTemplates(world: SyncWorld, owner: TemplateOwner, channel: Channel): Promise<void> {
  return world.templateSyncs.run(`${owner.accountId}:${owner.businessAccountId}`, async () => {
    const askedAt = world.clock.now();
    const startedAt = await startAfterLast(world, owner, askedAt);
    const listed = await world.upstreamTemplates.list(channel);
    const known = await world.stores.templates.list(owner, null, everything);
    const diff = await diffInTurns(owner, known.items, listed, askedAt);
    await world.stores.templates.synced(owner, diff, startedAt, askedAt + everyMs, askedAt);
    const outdated = new Set([...diff.goneIds, ...diff.changed.map(({ id }) => id)]);
    for (const each of known.items) if (outdated.has(each.id)) forgetForSend(world, owner, each);
  });
}

/**
 * A list that is asked for now is newer than the last one. That one may have a later time, from a node whose clock is ahead: this list would
 * count as outdated, and the sync would be due again at once, until the clock has come there. [faults: 451]
 */
async function startAfterLast({ stores }: SyncWorld, owner: TemplateOwner, now: number): Promise<number> {
  const last = (await stores.templates.sync(owner))?.syncedAt ?? null;
  return last !== null && last > now ? last + 1 : now;
}

/** Takes some ms. */
const comparedPerTurn = 100;

/** As `diffTemplates`: upstream may list 6,000 templates, and to compare them in one turn of the event loop takes 100 ms. [faults: I9] */
async function diffInTurns(
  owner: TemplateOwner,
  known: readonly Template[],
  listed: readonly UpstreamTemplate[],
  at: number,
): Promise<ReturnType<typeof diffTemplates>> {
  const left = new Map(known.map((template) => [template.upstreamId, template]));
  const changed: Template[] = [];
  const goneIds: string[] = [];
  const there = new Map(listed.map((each) => [each.upstreamId, each]));
  for await (const each of inTurns(there.values(), comparedPerTurn)) {
    const before = left.get(each.upstreamId);
    left.delete(each.upstreamId);
    const diff = diffTemplates(owner, before === undefined ? [] : [before], [each], at);
    changed.push(...diff.changed);
    goneIds.push(...diff.goneIds);
  }
  return { changed, goneIds: [...goneIds, ...[...left.values()].map(({ id }) => id)] };
}

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
  if (channel === 'unlicensed') return world.stores.templates.syncFailed(sync, world.clock.now() + everyMs);
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

/** Longer than any sync can take, so that a running sync does not bring back a removed template. */
const keepRemovedMs = hourMs;

/** Forgets removed templates, and counted uses that are older than every window. Stops early when the signal aborts. */
export async function dropOldTemplates(
  { stores, clock, settings }: World,
  stopping?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const longestMs = Math.max(
    settings.templateCreateWindowMs,
    settings.templateEditCooldownMs,
    settings.templateEditWindowMs,
    settings.templateNameBlockMs,
  );
  await stores.templates.dropRemoved(now - keepRemovedMs, stopping);
  await stores.templateLimits.dropOlder(now - longestMs, stopping);
}
