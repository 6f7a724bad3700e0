import { hourMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';

/** Longer than any sync can take, so that a running sync does not bring back a removed template. */
const keepRemovedMs = hourMs;

/** Forgets removed templates, and counted uses that are older than every window. Stops early when the signal aborts. */
export async function dropOldTemplates(
  { stores, clock, settings }: World,
  stopping?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const longestMs = Math.max(
    settings.templateCreateWindowMs,
    settings.templateEditCooldownMs,
    settings.templateEditWindowMs,
    settings.templateNameBlockMs,
  );
  await stores.templates.dropRemoved(now - keepRemovedMs, stopping);
  await stores.templateLimits.dropOlder(now - longestMs, stopping);
}
