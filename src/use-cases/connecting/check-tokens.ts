import type { Channel } from '../../domain/channels/channel.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Further active channels of a flow are not checked. */
const maxAsked = 20;

/** Ids of the account's active channels whose token upstream refuses. [operator-interface §4: reconnecting] */
export async function refusedTokens(
  deps: UseCaseDeps,
  { accountId }: { accountId: string },
  channels: readonly Channel[],
): Promise<Set<string>> {
  const active = channels.filter((channel) => channel.isActive && channel.accountId === accountId);
  const refused = new Set<string>();
  const questions = active.slice(0, maxAsked).map(async (channel) => {
    if (await deps.upstream.isTokenRefused(channel)) refused.add(channel.id);
  });
  await Promise.all(questions);
  return refused;
}
