import type { Channel } from '../../domain/channels/channel.ts';
import { asError, fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { ChannelCredentials } from './credentials.ts';

/** The channel's token in clear. Throws Fault `upstream_failed` when there is none that can be read. */
export function openToken(credentials: ChannelCredentials, channel: Channel, log: Log): string {
  try {
    const found = credentials.of(channel);
    if (found !== null) return found.token;
  } catch (thrown) {
    log.error({ channel: channel.id, error: asError(thrown).name }, 'upstream.token-unreadable');
  }
  throw fault('upstream_failed', { why: 'the channel has no usable access token; connect it again' });
}
