import type { TemplateOwner } from '../../rules/templates/template.ts';
import type { Window } from '../../rules/templates/limits.ts';
import { minuteMs, toIso } from '../../kernel/clock.ts';
import { asError, Fault, fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { World } from '../world.ts';

/** One of upstream's limits. */
export interface Limit {
  key: string;
  windows: readonly Window[];
  /** Sentence for the fault, completed by "at <time>". */
  what: string;
  /** Whether a call without an answer counts, which may have taken effect. */
  countsUnanswered: boolean;
}

/**
 * Makes an upstream call that counts for a limit (null: none). Counted before the call, so that all nodes together respect the
 * limit; taken back after a definite refusal, and without an answer where the limit says so. Throws 429 `template_limit` with the time of the next possible call.
 */
export async function withinLimit<T>(
  world: World,
  owner: TemplateOwner,
  limit: Limit | null,
  call: () => Promise<T>,
): Promise<T> {
  const taken = limit === null ? null : await take(world, limit);
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof Fault) await afterRefusal(world, owner, thrown, taken);
    throw thrown;
  }
}

/** Longer than a call and what is stored of it may take. */
const storedWithinMs = minuteMs;

/**
 * Does what changes a template upstream and then here. A synchronization is on record before: if the node ends in between, or the store fails, it
 * finds within minutes what upstream has; an edit is allowed once a day, and the next one would be refused for it. [faults: 447]
 */
export async function storedOrSynced<T>(
  world: World,
  owner: TemplateOwner,
  work: () => Promise<T>,
): Promise<T> {
  const { templates } = world.stores;
  const at = world.clock.now() + storedWithinMs;
  const before = await templates.intendSync(owner, at);
  let isCertain = true;
  try {
    return await work();
  } catch (thrown) {
    isCertain = thrown instanceof Fault;
    throw thrown;
  } finally {
    if (isCertain) await forget(world, owner, { at, before });
  }
}

/** Never throws: a synchronization too many does no harm. */
async function forget(
  { stores, log }: World,
  owner: TemplateOwner,
  intended: { at: number; before: number | null },
): Promise<void> {
  try {
    await stores.templates.forgetSync(owner, intended);
  } catch (thrown) {
    log.info({ account: owner.accountId, error: asError(thrown) }, 'templates.sync-not-taken-back');
  }
}

/** A counted use. */
interface Taken {
  key: string;
  useId: string;
  countsUnanswered: boolean;
}

async function take(world: World, { key, windows, what, countsUnanswered }: Limit): Promise<Taken> {
  const use = { id: newId(), at: world.clock.now() };
  const freeAt = await world.stores.templateLimits.take(key, use, windows);
  if (freeAt === null) return { key, useId: use.id, countsUnanswered };
  const retryAfter = Math.max(1, Math.ceil((freeAt - use.at) / 1_000));
  throw fault('template_limit', { why: `${what} at ${toIso(freeAt)}`, retryAfter });
}

/** Schedules a sync: a refusal may mean that our data is stale, and after no answer the call may have taken effect. */
async function afterRefusal(
  world: World,
  owner: TemplateOwner,
  { code }: Fault,
  taken: Taken | null,
): Promise<void> {
  const isCertain = code === 'upstream_refused' || code === 'upstream_busy';
  if (taken !== null && (isCertain || !taken.countsUnanswered))
    await world.stores.templateLimits.giveBack(taken.key, taken.useId);
  if (code !== 'upstream_busy') await world.stores.templates.askForSync(owner, world.clock.now());
}
