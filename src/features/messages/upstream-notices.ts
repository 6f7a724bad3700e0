/** What upstream tells besides messages: in the log, in a counter, and in the health of the channel that it is about. */
import type { Notice } from '../../rules/messages/facts.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';

/** Never throws: upstream would repeat the POST, and its messages are stored already or will be. */
export async function noteAll(world: World, notices: readonly Notice[], requestId?: string): Promise<void> {
  for (const { kind, channelType, identity, detail } of notices) {
    const fields = { request_id: requestId, kind, channel_type: channelType, identity, detail };
    world.counters.increment('upstream_notices_total', { kind });
    world.log.info(fields, 'upstream.notice');
  }
  for (const notice of distinct(notices))
    try {
      await noteProblem(world, notice);
    } catch (thrown) {
      world.log.warn({ request_id: requestId, error: asError(thrown) }, 'upstream.notice-not-kept');
    }
}

/** The last of each kind about a channel: a POST can hold many messages without content. */
function distinct(notices: readonly Notice[]): Notice[] {
  return [...new Map(notices.map((notice) => [`${notice.kind}:${notice.identity}`, notice])).values()];
}

async function noteProblem(
  { channelCache, stores, clock, counters }: World,
  { kind, channelType, identity, detail }: Notice,
): Promise<void> {
  // A problem of the app or the account is of no channel alone.
  if (kind === 'upstream_errors' || identity === null) return;
  const channel = (await channelCache.byIdentity(channelType, [identity])).get(identity);
  if (channel === undefined) return;
  if (kind === 'policy_enforcement' && detail === 'unblock') {
    await stores.health.clearProblems(channel.id, [kind], clock.now());
    return;
  }
  if (await stores.health.noteProblem(channel.id, { code: kind }, clock.now()))
    counters.increment('channel_problems_total', { code: kind });
}
