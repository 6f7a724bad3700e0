import type { Window } from '../../domain/templates/limits.ts';
import { toIso } from '../../kernel/clock.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { TemplateOwner } from '../ports/templates.ts';

/** One of upstream's limits. */
export interface Limit {
  key: string;
  windows: readonly Window[];
  /** What can be done again when it is over: "templates can be created again". */
  what: string;
}

/**
 * A call to upstream that counts against a limit (null: against none). Counted before it goes out, so that nodes together never
 * call too often; given back when upstream refused for certain. Throws 429 `template_limit` that says when it works again.
 */
export async function counted<T>(
  deps: UseCaseDeps,
  owner: TemplateOwner,
  limit: Limit | null,
  call: () => Promise<T>,
): Promise<T> {
  const taken = limit === null ? null : await take(deps, limit);
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof Fault) await afterRefusal(deps, owner, thrown, taken);
    throw thrown;
  }
}

/** A use that was counted. */
interface Taken {
  key: string;
  useId: string;
}

async function take(deps: UseCaseDeps, { key, windows, what }: Limit): Promise<Taken> {
  const use = { id: newId(), at: deps.clock.now() };
  const freeAt = await deps.stores.templateLimits.take(key, use, windows);
  if (freeAt === null) return { key, useId: use.id };
  const retryAfter = Math.max(1, Math.ceil((freeAt - use.at) / 1_000));
  throw fault('template_limit', { why: `${what} at ${toIso(freeAt)}`, retryAfter });
}

/** What we know may be what upstream refused, and without an answer it may have done it: a list of its templates will tell. */
async function afterRefusal(
  deps: UseCaseDeps,
  owner: TemplateOwner,
  { code }: Fault,
  taken: Taken | null,
): Promise<void> {
  const isCertain = code === 'upstream_refused' || code === 'upstream_busy';
  if (isCertain && taken !== null) await deps.stores.templateLimits.giveBack(taken.key, taken.useId);
  if (code !== 'upstream_busy') await deps.stores.templates.askForSync(owner, deps.clock.now());
}
