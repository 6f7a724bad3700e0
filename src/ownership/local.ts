/** Asks and tells for a channel of this node, both in a cluster and for a single node. */
import type { ChannelAsk, ChannelTell } from '../../actors/channel/asks.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { Activation } from '../../actors/runtime/activation.ts';
import type { Host } from '../../actors/runtime/host.ts';

export type ChannelHost = Host<unknown, ChannelMessage, unknown>;
type ChannelActivation = Activation<unknown, ChannelMessage, unknown>;

/** Returned instead of a reply: this node may not act for the channel any more, and no turn has seen the ask. */
export const notOurs = Symbol('not ours');

/** The owner's reply, or `notOurs`. Rejects as the activation does. */
export function askHere(host: ChannelHost, channelId: string, ask: ChannelAsk): Promise<unknown> {
  const live = host.live(channelId);
  if (live !== undefined) return askActivation(live, ask);
  return host.activate(channelId).then((activation) => askActivation(activation, ask));
}

function askActivation(activation: ChannelActivation, ask: ChannelAsk): Promise<unknown> {
  if (!activation.grant.isValid()) return Promise.resolve(notOurs); // the activation is closed as soon as timers run
  return activation.ask(ask);
}

/** Only `wake` activates a channel; `missed` is called when that fails. */
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
