import type { Channel } from '../rules/channels/channel.ts';
import { sealContext } from '../kernel/sealed.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { asError, fault } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { redact } from '../rules/messages/redact.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import { createHmac } from 'node:crypto';
import type { GraphError } from './graph-error.ts';

/** What an authenticated call carries. Never logged, never part of an error. */
export interface Credentials {
  token: string;
  /** The value of `appsecret_proof`. [upstream §1.3] */
  proof: string;
}

/** Proof in its classic form: lowercase hex HMAC-SHA256 of the token, keyed with the app secret. [upstream §1.3] */
export function makeProof(appSecret: string, token: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}

export interface ChannelCredentials {
  /** Returns null if the channel has no token. Throws if the sealed token does not open (wrong key, or moved from another channel). */
  of(channel: Channel): Credentials | null;
}

/** About 700 B each. Enough for the busy channels of a node, so that a send needs no unsealing and no hashing. */
const maxCached = 2_000;

/**
 * Opens a channel's token and computes its proof once per sealed form. The cache key is the channel, not the ciphertext: a sealed token
 * that was copied to another channel must still fail to open there.
 */
export function makeChannelCredentials(appSecret: string, sealer: Sealer): ChannelCredentials {
  const cache = lruCache<{ sealed: string; credentials: Credentials }>(maxCached);
  return {
    of(channel) {
      if (channel.token === null) return null;
      const known = cache.get(channel.id);
      if (known?.sealed === channel.token) return known.credentials;
      cache.delete(channel.id); // an entry that no longer opens must not stay cached
      const fresh = open(channel.id, channel.token);
      cache.set(channel.id, fresh);
      return fresh.credentials;
    },
  };

  function open(channelId: string, sealed: NonNullable<Channel['token']>) {
    const token = sealer.openText(sealed, sealContext.token(channelId));
    return { sealed, credentials: { token, proof: makeProof(appSecret, token) } };
  }
}

/** The channel's token in clear text. Throws Fault `upstream_failed` if there is none or it does not open. */
export function readToken(credentials: ChannelCredentials, channel: Channel, log: Log): string {
  try {
    const found = credentials.of(channel);
    if (found !== null) return found.token;
  } catch (thrown) {
    log.error({ channel: channel.id, error: asError(thrown).name }, 'upstream.token-unreadable');
  }
  throw fault('upstream_failed', { why: 'the channel has no usable access token; connect it again' });
}

/** Upstream quotes tokens in its errors. Replaces the call's secrets in such a text, and whatever looks like one. [faults 53] */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) if (secret !== '') hidden = hidden.replaceAll(secret, '[redacted]');
  return redact(hidden);
}

/** Authentication failed; the token is of the wrong kind or its session ended; it expired or was revoked. [upstream §3.5] */
const tokenCodes = new Set([0, 102, 190]);

/** Advice for the client, part of the error text. */
export const reconnect = 'reconnect the channel';

export function isTokenRefused(code: number | null): code is number {
  return code !== null && tokenCodes.has(code);
}

/** Whether upstream denies that the object exists, or the permission for it: the token is accepted, but not for this channel. */
export function isAccessLost({ code, subcode }: Pick<GraphError, 'code' | 'subcode'>): boolean {
  if (code === 100) return subcode === 33;
  return subcode === null && (code === 10 || code === 200 || code === 803);
}

/** Called when a send is refused as if the channel were lost. Must not throw. */
export type AccessRefused = (refused: { channel: Channel }) => void;

/** Called when a send is refused because the channel's number is not registered. Must not throw. */
export type RegistrationRefused = (refused: { channel: Channel; code: number }) => void;

/** Called when upstream refuses a channel's token. Must not throw. */
export type TokenRefused = (refused: { channel: Channel; code: number; isSend: boolean }) => void;
