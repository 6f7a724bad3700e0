/** Asks and tells for a channel of this very node: the same for a node alone and one of many. */
import type { ChannelAsk, ChannelMessage, ChannelTell } from '../../actors/channel/messages.ts';
import type { Host } from '../../actors/runtime/host.ts';

export type ChannelHost = Host<unknown, ChannelMessage, unknown>;

/** null: this node may not act for the channel any more, and nobody looked at the ask. Rejects as the activation does. */
export async function askHere(
  host: ChannelHost,
  channelId: string,
  ask: ChannelAsk,
): Promise<{ reply: unknown } | null> {
  const activation = host.live(channelId) ?? (await host.activate(channelId));
  if (!activation.lease.isValid()) return null; // closed as soon as timers run
  return { reply: await activation.ask(ask) };
}

/** Only `wake` is worth an activation; `missed` is called when that fails. */
export function tellHere(
  host: ChannelHost,
  channelId: string,
  message: ChannelTell,
  missed: () => void = () => undefined,
): void {
  const live = host.live(channelId);
  if (live !== undefined) live.tell(message);
  else if (message.type === 'wake')
    host.activate(channelId).then((activation) => activation.tell(message), missed);
}
