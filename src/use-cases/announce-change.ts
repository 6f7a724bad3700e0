import { asError } from '../kernel/faults.ts';
import type { UseCaseDeps } from './deps.ts';

/**
 * To be called after the store took a change of the channel, its licence or its webhook settings: every node forgets what it
 * remembered, and the channel's actor, wherever it lives, reads its settings again. Resolves when they hold there, so that
 * what happens after the client's answer happens under the new settings. Never throws: the change is made, and an owner that
 * can't be reached now reads it at its next activation.
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
