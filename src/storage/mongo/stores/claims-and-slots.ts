/** The held and reserved identities and slots of a channel, as its document has them under the unique indexes. */
import type { UpdateFilter } from 'mongodb';
import type { ChannelType } from '../../../rules/vocabulary.ts';
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
 * An update that sets values, unsets null and ignores undefined. An empty list of claims or slots is unset, because the index would treat
 * it as a value.
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

/** As `changing`, and raises the version: for changes of reservation, claims or slots. */
export function changingHoldings(fields: Changes): UpdateFilter<ChannelDocument> {
  return { ...changing(fields), $inc: { version: 1 } };
}
