import { Fault, fault } from '../../kernel/faults.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Caller } from '../../rules/caller.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { readQueued } from '../../kernel/search-queue.ts';
import { requireCalls, templateChannel, withSyncTime, noSuchTemplate } from './find.ts';
import type { TemplateChannel } from './find.ts';
import { syncTemplates } from './sync.ts';
import type { TemplateList, TemplateQuery } from './types.ts';

/**
 * The templates, synced from upstream; without `sync`, or if the sync fails, as of the last sync.
 * Throws 502 `upstream_failed` if no sync ever succeeded. [operator-interface §4]
 */
export async function listTemplates(
  given: World,
  caller: Caller,
  channelId: string,
  { sync, status, name = null, page }: TemplateQuery,
): Promise<TemplateList> {
  const world = underRequest(given, caller.requestId);
  const found = await templateChannel(world, caller, channelId);
  const { owner } = found;
  const synced = (await mustSync(world, owner, sync)) && (await hasSynced(world, found));
  const [known, last] = await Promise.all([
    name === null
      ? readQueued(world, owner.accountId, page, (some) => world.stores.templates.list(owner, status, some))
      : world.stores.templates.byName(owner, name).then((items) => ({ items, nextCursor: null })),
    world.stores.templates.sync(owner),
  ]);
  const items = known.items.map((template) => withSyncTime(template, last));
  return { page: { ...known, items }, synced, syncedAt: last?.syncedAt ?? null };
}

/** For `first`, throws the cached fault of a recent failed sync, because people reload pages. */
async function mustSync(
  { stores, templatesNotTold }: World,
  owner: TemplateOwner,
  sync: TemplateQuery['sync'],
): Promise<boolean> {
  if (sync !== 'first') return sync;
  const last = await stores.templates.sync(owner);
  if (last !== null && last.syncedAt !== null) return false;
  const failure = templatesNotTold.get(keyOf(owner));
  if (failure !== undefined) throw failure;
  return true;
}

const keyOf = ({ accountId, businessAccountId }: TemplateOwner): string =>
  `${accountId}:${businessAccountId}`;

async function hasSynced(world: World, { channel, owner }: TemplateChannel): Promise<boolean> {
  await requireCalls(world, channel);
  try {
    await syncTemplates(world, owner, channel);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const last = await world.stores.templates.sync(owner);
    if (last === null || last.syncedAt === null) {
      const failure = fault('upstream_failed', { why: reasonIn(thrown) });
      world.templatesNotTold.set(keyOf(owner), failure);
      throw failure;
    }
    world.log.warn({ channel: channel.id, code: thrown.code }, 'templates.not-synced');
    return false;
  }
}

function reasonIn({ details, message }: Fault): string {
  return typeof details['why'] === 'string' ? details['why'] : message;
}

/** The stored template, whatever the channel's state. Throws 404 `not_found`, 400 `wrong_channel_type`. */
export async function readTemplate(
  world: World,
  caller: Caller,
  channelId: string,
  templateId: string,
): Promise<Template> {
  const { owner } = await templateChannel(world, caller, channelId);
  const template = await world.stores.templates.byId(owner, templateId);
  if (template === null) throw noSuchTemplate();
  return withSyncTime(template, await world.stores.templates.sync(owner));
}
