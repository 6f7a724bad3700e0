import type { Channel } from '../../domain/channels/channel.ts';
import type { UseCaseDeps } from '../deps.ts';

/** A flow with more active channels than this leaves the others as they are. */
const maxAsked = 20;

/** The active channels of this account whose token upstream takes no more, by id. [operator-interface §4: reconnecting] */
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
