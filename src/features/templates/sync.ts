/** Brings the stored templates of an owner to what upstream lists. */
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { diffTemplates } from './rules/diff.ts';
import { everything } from '../../kernel/paging.ts';
import type { UpstreamTemplate } from '../../upstream/template-calls.ts';
import { dayMs, inTurns } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { forgetForSend } from './template-cache.ts';

/** Dependencies of a sync. */
export type SyncWorld = Pick<
  World,
  'stores' | 'clock' | 'upstreamTemplates' | 'templateSyncs' | 'templateCache'
>;

/** Interval of syncs, which find changes that webhooks missed. */
export const syncEveryMs = dayMs;

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
    await world.stores.templates.synced(owner, diff, startedAt, askedAt + syncEveryMs, askedAt);
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
