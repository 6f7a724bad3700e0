import type { Channel } from '../../domain/channels/channel.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import { sealContext } from '../../domain/accounts/sealed.ts';
import { asError, fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { redact } from '../../domain/messages/redact.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { createHmac } from 'node:crypto';

/** What a call with a token carries. Never logged, never part of an error. */
export interface Credentials {
  token: string;
  /** [upstream §1.3] */
  proof: string;
}

/** Classic form: lowercase hex HMAC-SHA256 of the token under the app secret. [upstream §1.3] */
export function makeProof(appSecret: string, token: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}

export interface ChannelCredentials {
  /** null: the channel has no token. Throws when the seal can't be opened (wrong key, or moved between channels). */
  of(channel: Channel): Credentials | null;
}

/** About 700 B each: the busy channels of one node, without unsealing and hashing on every send. */
const maxKept = 2_000;

/**
 * Opens and proves a channel's token once while its sealed form stays the same. Kept by channel, not by ciphertext: a sealed
 * token copied to another channel must still fail to open there.
 */
export function makeChannelCredentials(appSecret: string, sealer: Sealer): ChannelCredentials {
  const kept = lruCache<{ sealed: string; credentials: Credentials }>(maxKept);
  return {
    of(channel) {
      if (channel.token === null) return null;
      const known = kept.get(channel.id);
      if (known?.sealed === channel.token) return known.credentials;
      kept.delete(channel.id); // what can't be opened is not kept either
      const fresh = open(channel.id, channel.token);
      kept.set(channel.id, fresh);
      return fresh.credentials;
    },
  };

  function open(channelId: string, sealed: NonNullable<Channel['token']>) {
    const token = sealer.openText(sealed, sealContext.token(channelId));
    return { sealed, credentials: { token, proof: makeProof(appSecret, token) } };
  }
}

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

/**
 * Upstream's text without what was secret in the call, literally or by its looks: upstream quotes tokens in errors.
 * [faults 53]
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) if (secret !== '') hidden = hidden.replaceAll(secret, '[redacted]');
  return redact(hidden);
}
