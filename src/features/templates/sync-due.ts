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
/** From so many a turn chooses. */
const dueInView = 1_000;
const backOff = { firstMs: 30_000, maxMs: 21_600_000 };

/**
 * An account with thousands of business accounts that are due delays those of no other account: a turn begins with one of each account in its
 * view, and a view continues behind the one before. [faults: 550]
 */
export class DueSyncs {
  readonly #world: World;
  /** Where the next view begins; 0: with the longest due. */
  #from = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Runs once in the cluster; returns the number of syncs. Throws StoreUnavailable. */
  async run(): Promise<number> {
    const { stores, clock } = this.#world;
    const due = await stores.templates.dueSyncs({ from: this.#from, upTo: clock.now() }, dueInView);
    this.#from = due.length < dueInView ? 0 : Math.max(this.#from + 1, due.at(-1)?.dueAt ?? 0);
    const chosen = firstOfEachAccountFirst(due).slice(0, syncsAtOnce);
    await Promise.all(chosen.map((sync) => syncOne(this.#world, sync)));
    return chosen.length;
  }
}

/** Then each one's second, and so on. */
function firstOfEachAccountFirst(due: readonly TemplateSync[]): TemplateSync[] {
  const seen = new Map<string, number>();
  const placed = due.map((sync) => {
    const place = seen.get(sync.accountId) ?? 0;
    seen.set(sync.accountId, place + 1);
    return { sync, place };
  });
  return placed.toSorted((one, other) => one.place - other.place).map(({ sync }) => sync);
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
