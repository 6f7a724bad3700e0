import type { Channel } from '../../domain/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { Grant, Reservation } from '../ports/reservations.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { KnownCode } from './secrets.ts';

/** A code that was exchanged; `wasActive`: it reconnected a channel that was active. */
export type UsedCode = KnownCode & { wasActive: boolean };

/**
 * Undoes an exchange whose channel could not be subscribed upstream: the channel becomes inactive (unless it was active before) and its code valid again, for
 * what was left of its time. Never throws: the client hears of the 502 in any case, and what it finds in its list tells it
 * whether to retry or to connect again. `exchange-code.ts` says why.
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

/** null: a freshly exchanged channel has identity, licence and token; without them there is nothing to reserve. */
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
