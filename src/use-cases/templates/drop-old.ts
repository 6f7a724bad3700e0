import type { UseCaseDeps } from '../deps.ts';

/** Longer than any sync can take, so that a running sync does not bring back a removed template. */
const keepRemovedMs = 3_600_000;

/** Forgets removed templates, and counted uses that are older than every window. */
export async function dropOldTemplates({ stores, clock, settings }: UseCaseDeps): Promise<void> {
  const now = clock.now();
  const longestMs = Math.max(
    settings.templateCreateWindowMs,
    settings.templateEditCooldownMs,
    settings.templateEditWindowMs,
    settings.templateNameBlockMs,
  );
  await stores.templates.dropRemoved(now - keepRemovedMs);
  await stores.templateLimits.dropOlder(now - longestMs);
}
