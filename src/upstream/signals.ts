import { fault } from '../kernel/faults.ts';
import { toCallFault } from './call-refusal.ts';
import type { ChannelCalls } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import type { SignalUpstream } from './signal-calls.ts';

/** Signals go to the node that sends. [upstream §3.1, §3.3] */
export function makeSignals({ openGraph, openToken }: ChannelCalls): SignalUpstream {
  return {
    async signal(channel, signal, about) {
      const kind = upstreamKindOf(channel.channelType);
      const sender = kind.send.sender(channel);
      if (sender === null)
        throw fault('upstream_failed', { why: 'the channel has no usable connection; connect it again' });
      const token = openToken(channel);
      const attempted = await openGraph(channel).attempt({
        method: 'POST',
        path: `/${encodeURIComponent(sender)}/messages`,
        body: kind.signalBody(signal, about),
        token,
      });
      if (!attempted.ok) throw toCallFault(attempted, [token]);
    },
  };
}
