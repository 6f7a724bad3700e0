import type { TemplateFact } from '../../rules/messages/facts.ts';
import { isGone } from '../../rules/templates/template.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { World } from '../world.ts';

/** A status this late may be a repetition, and an edit since then is unknown to it: upstream is asked for the present status. */
const lateMs = 10_000;

/** Templates written concurrently: a POST may contain thousands. */
const templatesAtOnce = 20;

/**
 * Applies template webhooks, in order, for every account with a channel on the business account. Templates that an account does not
 * have, and changes that a webhook reports incompletely, late, or from before the stored version, are synced in the background. Durable
 * when it resolves. [upstream §4.5]
 */
export async function applyTemplateFacts(world: World, facts: readonly TemplateFact[]): Promise<void> {
  const groups = [...groupBy(facts, makeKey).values()];
  for (let from = 0; from < groups.length; from += templatesAtOnce) {
    const part = groups.slice(from, from + templatesAtOnce);
    const missed = await Promise.all(part.map((group) => applyGroup(world, group)));
    const changed = new Set(part.flatMap((group) => group.map(({ templateId }) => templateId)));
    world.templateCache.forgetWhere(({ upstreamId }) => changed.has(upstreamId));
    await askForSyncs(world, missed.flat());
    // A file is read at once, and a POST may contain thousands. [faults: 94]
    await yieldToLoop();
  }
}

function makeKey({ businessAccountId, templateId }: TemplateFact): string {
  return `${businessAccountId}:${templateId}`;
}

/** A business account that needs a sync, except for the accounts `knowing`. */
interface Missed {
  businessAccountId: string;
  knowing: readonly string[];
}

async function applyGroup(world: World, facts: readonly TemplateFact[]): Promise<Missed[]> {
  const missed: Missed[] = [];
  for (const { businessAccountId, templateId: upstreamId, at, change } of facts) {
    if ('components' in change) {
      missed.push({ businessAccountId, knowing: [] });
      continue;
    }
    const status = { businessAccountId, upstreamId, at, change };
    const knowing = await world.stores.templates.apply(status, world.clock.now());
    const isStatus = 'status' in change;
    const isDeletion = isStatus && isGone(change.status);
    const isLate = isStatus && world.clock.now() - at > lateMs;
    if (!isDeletion) missed.push({ businessAccountId, knowing: isLate ? [] : knowing });
  }
  return missed;
}

async function askForSyncs(world: World, missed: readonly Missed[]): Promise<void> {
  for (const [businessAccountId, all] of groupBy(missed, (each) => each.businessAccountId)) {
    const accounts = await world.stores.channels.accountsOn(businessAccountId);
    const lacking = accounts.filter((accountId) => all.some(({ knowing }) => !knowing.includes(accountId)));
    for (const accountId of lacking) {
      await world.stores.templates.askForSync({ accountId, businessAccountId }, world.clock.now());
    }
  }
}
