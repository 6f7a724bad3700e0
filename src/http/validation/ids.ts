import { fault } from '../../kernel/faults.ts';
import { asWritten, isId } from '../../kernel/ids.ts';

/** Path parameters that are ids, each with the noun for its 404. */
export const pathIds = {
  channel_id: 'Channel',
  endpoint_id: 'Endpoint',
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

/**
 * Returns the id, or throws Fault 404: a text that is not shaped like our ids is answered like an unknown id, without asking a store.
 * [faults I6, 70]
 */
export function requireId(name: PathId, text: unknown): string {
  const id = typeof text === 'string' ? asWritten(text) : '';
  if (!isId(id)) throw fault('not_found', { what: pathIds[name] });
  return id;
}

/** No object has this id. */
const idOfNothing = '00000000-0000-0000-0000-000000000000';

/**
 * As `requireId`, for a parameter of the path. A malformed id of a template is `idOfNothing`, so that the channel is looked at first, as
 * for an unknown id: on a channel without templates each call is 400. [operator-interface §4]
 */
export function requirePathId(name: PathId, text: unknown): string {
  return name === 'template_id' && !(typeof text === 'string' && isId(asWritten(text)))
    ? idOfNothing
    : requireId(name, text);
}
