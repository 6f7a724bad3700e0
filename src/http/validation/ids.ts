import { fault } from '../../kernel/faults.ts';

/** The ids that paths carry, and what is said not to be found. */
export const pathIds = {
  channel_id: 'Channel',
  redirect_id: 'Redirect',
  template_id: 'Template',
  account_id: 'Account',
  key_id: 'API key',
  subscription_id: 'Subscription',
  media_id: 'Media file',
  delivery_id: 'Delivery',
  message_id: 'Message',
  item_id: 'Quarantined item',
  person_id: 'Person',
} as const;

export type PathId = keyof typeof pathIds;

export function isPathId(name: string): name is PathId {
  return name in pathIds;
}

/** Every id of ours is a UUID in lower case. */
function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/**
 * The id, or Fault 404: what is not shaped like an id of ours is answered like an absent one, without asking a store.
 * [faults I6, 70]
 */
export function requireId(name: PathId, text: unknown): string {
  if (typeof text !== 'string' || !isId(text)) throw fault('not_found', { what: pathIds[name] });
  return text;
}
