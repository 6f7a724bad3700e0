import type { Channel } from '../../domain/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { Grant, Reservation } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { KnownCode } from './secrets.ts';

/** An exchanged code. `wasActive`: it reconnected an active channel. */
export type UsedCode = KnownCode & { wasActive: boolean };

/**
 * Undoes an exchange whose channel could not be subscribed upstream: the channel becomes inactive (unless it was active before),
 * and its code is valid again until its original expiry. Never throws: the client gets the 502 in any case, and the channel list
 * shows whether to retry or to connect again. The reasons are in `exchange-code.ts`.
 */
export async function restoreCode(
  deps: UseCaseDeps,
  caller: Caller,
  channel: Channel,
  code: UsedCode,
): Promise<void> {
  const reservation = reservationAgain(deps, caller, channel, code);
  try {
    if (!code.wasActive) await deps.stores.channels.deactivate(channel.id, caller.accountId);
    await announceChange(deps, channel.id);
    if (reservation !== null) await deps.stores.channels.reserve(reservation, deps.clock.now());
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.code-not-restored');
  }
}

/** null if identity, licence or token is missing (an exchanged channel has all three): then nothing can be reserved. */
function reservationAgain(
  deps: UseCaseDeps,
  caller: Caller,
  channel: Channel,
  code: UsedCode,
): Reservation | null {
  const { identity, subscriptionId } = channel;
  const grant = toGrant(channel);
  if (identity === null || subscriptionId === null || grant === null) return null;
  return {
    channelId: channel.id,
    accountId: caller.accountId,
    apiKeyId: caller.apiKeyId,
    channelType: channel.channelType,
    identity,
    subscriptionId,
    codeHash: code.hash,
    codeExpiresAt: code.expiresAt,
    createdAt: deps.clock.now(),
    grant,
    isReconnect: code.wasActive,
  };
}

function toGrant({ name, profile, subscribedAsset, token }: Channel): Grant | null {
  return token === null || profile === null ? null : { name, profile, subscribedAsset, token };
}
