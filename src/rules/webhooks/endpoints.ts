/**
 * Further endpoints of a channel, beside its own `webhook_url`. Each has an owner of its own, an actor under an id made of the channel's and
 * the endpoint's: so retries, order and all bounds are of one endpoint. [spec: Additions, Endpoints]
 */
import type { Settings } from '../channels/settings.ts';
import type { Channel } from '../channels/channel.ts';
import type { SealedHeaders } from './own-headers.ts';

export const maxEndpoints = 10;

/** What the owner of a channel knows of an endpoint that takes events. */
export interface EndpointNote {
  /** Of its own deliveries. */
  ownerId: string;
  events: readonly string[];
}

/** What an endpoint has in place of its channel's own. */
export type EndpointSettings = Pick<
  Settings & Channel,
  'webhookUrl' | 'webhookSecret' | 'webhookEvents' | 'previousSecret' | 'previousSecretUntil'
> & { headers: SealedHeaders | null };

const between = ':';

/** The owner of the deliveries of an endpoint; `endpointId` null: of the channel's own `webhook_url`. */
export function ownerOf(channelId: string, endpointId: string | null): string {
  return endpointId === null ? channelId : `${channelId}${between}${endpointId}`;
}

export interface OwnerParts {
  channelId: string;
  endpointId: string | null;
}

export function readOwner(ownerId: string): OwnerParts {
  const at = ownerId.indexOf(between);
  if (at < 0) return { channelId: ownerId, endpointId: null };
  return { channelId: ownerId.slice(0, at), endpointId: ownerId.slice(at + 1) };
}

export function isOfEndpoint(ownerId: string): boolean {
  return ownerId.includes(between);
}
