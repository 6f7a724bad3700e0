import { unknownHealth } from '../../rules/channels/health.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { channelChanges } from '../../rules/channels/changes.ts';
import { atOnce, withUntold } from '../../rules/events/changes.ts';
import type { Records } from '../../storage/records.ts';

/** Each lost race is another writer's success; a channel has few. */
const maxTries = 100;

/**
 * Compare-and-set on what was read, so that two nodes that learn of two problems lose neither, and one of two that learn of the same change
 * tells it. `change` null: leave the record.
 */
export async function changeHealth(
  health: Records<ChannelHealth>,
  channelId: string,
  now: number,
  change: (known: ChannelHealth) => Partial<ChannelHealth> | null,
  quality: string | null = null,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await health.one({ channelId });
    const known = found ?? unknownHealth(channelId);
    const columns = change(known);
    if (columns === null) return;
    if (found === null) await health.insert(known);
    const { problemsVersion, token, qualityRating } = known;
    const which = { channelId, problemsVersion, token, qualityRating };
    const set = withVersion({ ...known, qualityRating: qualityRating ?? quality }, columns, now);
    if ((await health.patch({ which, change: { set } })) !== null) return;
  }
  throw new Error('the record of a channel’s health changes without end');
}

/** A check that finds everything as it was makes no new version. */
function withVersion(
  known: ChannelHealth,
  columns: Partial<ChannelHealth>,
  now: number,
): Partial<ChannelHealth> {
  const version = (known.problemsVersion ?? 0) + 1;
  const changes = channelChanges(known, { ...known, ...columns }, version, now);
  const isCheck = 'checkedAt' in columns;
  if (changes.length === 0) return isCheck ? columns : { ...columns, problemsVersion: version };
  const untold = withUntold(known.untold, changes);
  return { ...columns, problemsVersion: version, untold, tellAt: known.tellAt ?? atOnce };
}
