import type { ChannelHealth } from '../../domain/channels/health.ts';
import { flushActivity } from '../channels/flush-activity.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { FailingChannel } from './types.ts';

const mostShown = 1_000;

/** Channels with failing receivers: up to date for this node, a minute old at most for the others. Throws StoreUnavailable. */
export async function listFailing(deps: UseCaseDeps): Promise<FailingChannel[]> {
  await flushActivity(deps);
  const failing = await withChannels(deps, await deps.stores.health.failing(mostShown));
  return failing.filter(({ channel }) => channel.isActive && channel.webhookUrl !== null);
}

/** Active channels whose token upstream refused at the last check. Throws StoreUnavailable. */
export async function listRefusedTokens(deps: UseCaseDeps): Promise<FailingChannel[]> {
  const refused = await withChannels(deps, await deps.stores.health.refused(mostShown));
  return refused.filter(({ channel }) => channel.isActive);
}

async function withChannels(
  { stores }: UseCaseDeps,
  all: readonly ChannelHealth[],
): Promise<FailingChannel[]> {
  const found: FailingChannel[] = [];
  for (const health of all) {
    const channel = await stores.channels.byId(health.channelId);
    if (channel !== null) found.push({ channel, health });
  }
  return found;
}
