import { asError } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../world.ts';

/**
 * Call it after the store took a change of the channel, its licence or its webhook settings: every node evicts its cached
 * copy, and the channel's actor, on whatever node, reloads its settings. Resolves when the actor has reloaded, so that
 * everything after the client's answer happens under the new settings. Never throws: the change is durable, and an owner that
 * is out of reach reads it at its next activation.
 */
export async function announceChange(
  deps: Pick<UseCaseDeps, 'channelCache' | 'cluster' | 'router' | 'log'>,
  channelId: string,
): Promise<void> {
  deps.channelCache.invalidate(channelId);
  deps.cluster.changed({ channelId });
  try {
    await deps.router.ask(channelId, { type: 'reload' });
  } catch (thrown) {
    deps.log.warn({ channel: channelId, error: asError(thrown) }, 'channel.reload-not-confirmed');
    deps.router.tell(channelId, { type: 'settings-changed' });
  }
}
