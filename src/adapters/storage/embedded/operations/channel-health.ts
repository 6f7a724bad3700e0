/** Writes to how channels fare. */
import { unknownHealth } from '../../../../domain/channels/health.ts';
import type { UpstreamState } from '../../../../domain/channels/health.ts';
import type { Activity } from '../../../../use-cases/ports/health.ts';
import type { Database } from '../sqlite.ts';
import { channelHealth } from '../tables.ts';

/** max() of SQLite is null when either is. */
const later = (column: string): string =>
  `${column} = coalesce(max(${column}, excluded.${column}), excluded.${column}, ${column})`;

/** What was seen now knows of a success before it; what stands may be over by it. */
const failingSince = `case
  when failing_since is not null and failing_since > coalesce(excluded.delivered_at, 0) then failing_since
  else excluded.failing_since end`;

export function channelHealthOperations(db: Database) {
  const noteUpstream = channelHealth.insert(
    db,
    `on conflict (channel_id) do update set token = excluded.token, is_subscribed = excluded.is_subscribed,
      quality_rating = excluded.quality_rating, checked_at = excluded.checked_at`,
  );
  const columns = ['inbound_at', 'status_at', 'delivered_at', 'delivery_failed_at', 'warned_at'];
  const noteActivity = channelHealth.insert(
    db,
    `on conflict (channel_id) do update set ${columns.map(later).join(', ')},
      failing_since = ${failingSince}, last_failure = coalesce(excluded.last_failure, last_failure)`,
  );
  return {
    noteUpstreamState(channelId: string, state: UpstreamState, checkedAt: number): void {
      noteUpstream({ ...unknownHealth(channelId), ...state, checkedAt });
    },
    noteActivity(seen: readonly Activity[]): void {
      for (const each of seen) noteActivity({ ...unknownHealth(each.channelId), ...each });
    },
  };
}
