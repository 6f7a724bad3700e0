import type { UseCaseDeps } from '../deps.ts';

/** Longer than a list of upstream can be on its way. */
const keepRemovedMs = 3_600_000;

/** Forgets deleted templates, and uses of limits that no window counts any more. */
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
