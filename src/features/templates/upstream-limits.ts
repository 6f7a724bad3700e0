import type { TemplateOwner } from '../../rules/templates/template.ts';
import type { Window } from '../../rules/templates/limits.ts';
import { toIso } from '../../kernel/clock.ts';
import { Fault, fault } from '../../kernel/faults.ts';
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
