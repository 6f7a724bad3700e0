import type { Channel } from '../../domain/channels/channel.ts';
import { diffTemplates } from '../../domain/templates/diff.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';
import type { TemplateOwner } from '../ports/templates.ts';

/** Dependencies of a sync. */
export type SyncDeps = Pick<UseCaseDeps, 'stores' | 'clock' | 'upstreamTemplates' | 'templateSyncs'>;

/** Interval of syncs, which find changes that webhooks missed. */
const everyMs = 86_400_000;

/**
 * Reads all templates of the owner from upstream through this channel and stores the differences. Resolves when a list requested
 * after this call is stored. Throws Fault `upstream_refused`, `upstream_busy`, `upstream_failed`.
 */
export function syncTemplates(deps: SyncDeps, owner: TemplateOwner, channel: Channel): Promise<void> {
  return deps.templateSyncs.run(`${owner.accountId}:${owner.businessAccountId}`, async () => {
    const startedAt = deps.clock.now();
    const listed = await deps.upstreamTemplates.list(channel);
    const known = await deps.stores.templates.list(owner, null, everything);
    const diff = diffTemplates(owner, known.items, listed, startedAt);
    await deps.stores.templates.synced(owner, diff, startedAt, startedAt + everyMs);
  });
}
