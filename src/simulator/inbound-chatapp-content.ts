import { asBag, asList, asNumber, asText, type Bag } from './bag.ts';
import { oneOf } from './control-ask.ts';

/** Type and member of a chatapp message without a file [upstream protocol 4.2]; `ask` is the body of the control call. */
export function contentOf(type: string, ask: Bag): Record<string, unknown> {
  const text = asText(ask.text) ?? 'Hello';
  const messageId = asText(ask.message_id) ?? '';
  switch (type) {
    case 'text':
      return { type, text: { body: text } };
    case 'location':
      return { type, location: { ...samplePlace, ...asBag(ask.location) } };
    case 'contacts':
      return { type, contacts: contactsOf(ask) };
    case 'reaction':
      return {
        type,
        reaction: {
          message_id: messageId,
          ...(ask.emoji === null ? {} : { emoji: asText(ask.emoji) ?? '👍' }),
        },
      };
    case 'button':
      return { type, button: { text, payload: asText(ask.payload) ?? text } };
    case 'interactive':
      return { type, interactive: interactiveOf(text, ask) };
    case 'order':
      return {
        type,
        order: { catalog_id: '1600000000000001', text, product_items: asList(ask.items) ?? [sampleItem] },
      };
    case 'system':
      return { type, system: systemOf(text, ask) };
    case 'request_welcome':
      return { type };
    case 'edit':
      return {
        type,
        edit: { original_message_id: messageId, message: { type: 'text', text: { body: text } } },
      };
    case 'revoke':
      return { type, revoke: { original_message_id: messageId } };
    case 'unsupported':
      return unsupportedOf(ask);
    default:
      return { type, [type]: {} };
  }
}

/** The contacts; `origin` tells whether the person answers a request for the own number [upstream protocol 4.2]. */
function contactsOf(ask: Bag): unknown[] {
  const origin = asText(ask.origin);
  const given = asList(ask.contacts) ?? [sampleContact];
  return given.map((contact) => (origin === undefined ? contact : { ...asBag(contact), origin }));
}

const samplePlace = { latitude: 53.5443, longitude: 9.9666, name: 'Old harbour', address: 'Quay 1' };
const sampleContact = {
  name: { formatted_name: 'Lena Ott', first_name: 'Lena' },
  phones: [{ phone: '+49 1590 0000779', wa_id: '4915900000779', type: 'CELL' }],
};
const sampleItem = { product_retailer_id: 'cake-1', quantity: 1, item_price: 12.5, currency: 'EUR' };

const replies = ['button_reply', 'list_reply', 'nfm_reply', 'call_permission_reply'] as const;

function interactiveOf(title: string, ask: Bag): Record<string, unknown> {
  const type = oneOf(ask, 'interactive', replies, 'button_reply');
  const id = asText(ask.payload) ?? 'yes';
  switch (type) {
    case 'button_reply':
      return { type, button_reply: { id, title } };
    case 'list_reply':
      return { type, list_reply: { id, title, description: asText(ask.description) ?? 'From the list' } };
    case 'nfm_reply':
      return { type, nfm_reply: { name: 'flow', body: title, response_json: flowResponseOf(id, ask) } };
    default:
      return { type, call_permission_reply: { response: 'accept', response_source: 'user_action' } };
  }
}

/** What a person filled in, as JSON text, with the flow token of the business's message [upstream protocol 3.1]. */
function flowResponseOf(id: string, ask: Bag): string {
  return JSON.stringify({ flow_token: asText(ask.flow_token) ?? 'unused', id, ...asBag(ask.response) });
}

const systemTypes = ['user_changed_number', 'user_changed_user_id', 'customer_identity_changed'] as const;

/**
 * A notice of upstream's own. A changed number comes with the new `wa_id`, a changed user id (since 2026-08-11) without any number; both
 * have the ids before and after, as far as `ask` gives them [upstream protocol 4.2].
 */
function systemOf(body: string, ask: Bag): Record<string, unknown> {
  const type = oneOf(ask, 'system', systemTypes, 'user_changed_number');
  const ids = ['previous_user_id', 'user_id', 'previous_parent_user_id', 'parent_user_id'] as const;
  const given = ids.filter((name) => asText(ask[name]) !== undefined).map((name) => [name, ask[name]]);
  const isNumberless = type === 'user_changed_user_id';
  return {
    body,
    type,
    ...(isNumberless ? {} : { wa_id: asText(ask.wa_id) ?? '' }),
    ...Object.fromEntries(given),
  };
}

const unsupportedTexts: Readonly<Record<number, string>> = {
  131051: 'Message type is currently not supported.',
  131060: 'This message is currently not available.',
};

function unsupportedOf(ask: Bag): Record<string, unknown> {
  const code = asNumber(ask.code) ?? 131051;
  const title = code === 131051 ? 'Message type unknown' : 'This message is unavailable';
  const details = unsupportedTexts[code] ?? title;
  return {
    type: 'unsupported',
    errors: [{ code, title, message: title, error_data: { details } }],
    ...(code === 131051 ? { unsupported: { type: asText(ask.unsupported) ?? 'unknown' } } : {}),
  };
}
