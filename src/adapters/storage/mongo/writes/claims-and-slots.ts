/** What a channel has and has reserved, as its document holds it under the unique indexes. */
import type { UpdateFilter } from 'mongodb';
import type { ChannelType } from '../../../../domain/vocabulary.ts';
import type { ChannelDocument } from '../documents.ts';

interface ClaimedIdentity {
  channelType: ChannelType;
  identity?: string | null;
  subscriptionId?: string | null;
  reservation?: { identity: string; subscriptionId: string };
}

export const claimOn = (channelType: ChannelType, identity: string): string => `${channelType}:${identity}`;
export const slotOn = (channelType: ChannelType, subscriptionId: string): string =>
  `${channelType}:${subscriptionId}`;

export function listClaimsAndSlots(held: ClaimedIdentity): { claims: string[]; slots: string[] } {
  const { channelType, identity, subscriptionId, reservation } = held;
  const identities = [identity, reservation?.identity].flatMap((each) => each ?? []);
  const subscriptions = [subscriptionId, reservation?.subscriptionId].flatMap((each) => each ?? []);
  return {
    claims: [...new Set(identities.map((each) => claimOn(channelType, each)))],
    slots: [...new Set(subscriptions.map((each) => slotOn(channelType, each)))],
  };
}

type Changes = Record<string, unknown>;

/**
 * An update that sets what has a value, clears what is null and leaves alone what is undefined; never an empty array of
 * claims or slots, which the index would take for a value.
 */
function changing(fields: Changes): UpdateFilter<ChannelDocument> {
  const set: Changes = {};
  const unset: Record<string, ''> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const isNothing = value === null || ((name === 'claims' || name === 'slots') && isEmpty(value));
    if (isNothing) unset[name] = '';
    else set[name] = value;
  }
  return {
    ...(Object.keys(set).length > 0 ? { $set: set } : {}),
    ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}),
  };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** An update as `changing` makes it, and one version on: for changes of reservation, claim or slot. */
export function changingHoldings(fields: Changes): UpdateFilter<ChannelDocument> {
  return { ...changing(fields), $inc: { version: 1 } };
}
