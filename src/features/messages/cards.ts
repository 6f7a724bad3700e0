/** The requests of places, contacts and reactions. */
import {
  givenId,
  givenList,
  orNull,
  requestObject,
  text,
  withExample,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { BodyOf } from '../../http/validation/request-body.ts';
import type { ContactsContent, LocationContent } from '../../rules/messages/cards.ts';
import { givenRecipient, quoting, someId } from './schemas.ts';

const to = { channel_id: givenId, recipient: givenRecipient };
const example = { channel_id: someId, recipient: '4915900000777' };
const line = text({ minLength: 1, maxLength: 256 });
const degrees = (most: number): JsonSchema<number> => ({ type: 'number', minimum: -most, maximum: most });

export const sendLocationRequest = requestBody(
  withExample(
    requestObject(
      'SendLocationRequest',
      { ...to, latitude: degrees(90), longitude: degrees(180) },
      { name: orNull(text({ maxLength: 1000 })), address: orNull(text({ maxLength: 1000 })), ...quoting },
    ),
    { ...example, latitude: 53.5461, longitude: 9.9937, name: 'Harbour Bakery', address: 'Am Kai 1' },
  ),
);

export function locationIn(body: BodyOf<typeof sendLocationRequest>): LocationContent {
  const { latitude, longitude, name = null, address = null } = body;
  return { type: 'location', latitude, longitude, name, address };
}

const contact = requestObject(
  'ContactCard',
  { name: line },
  {
    first_name: orNull(line),
    last_name: orNull(line),
    phones: orNull(
      givenList(requestObject('ContactPhone', { phone: line }, { type: orNull(line), wa_id: orNull(line) })),
    ),
    emails: orNull(givenList(requestObject('ContactEmail', { email: line }, { type: orNull(line) }))),
    organization: orNull(line),
  },
);

export const sendContactsRequest = requestBody(
  withExample(
    requestObject(
      'SendContactsRequest',
      { ...to, contacts: { ...givenList(contact), minItems: 1 } },
      quoting,
    ),
    {
      ...example,
      contacts: [{ name: 'Ada Harbour', phones: [{ phone: '+49 159 00000777', type: 'WORK' }] }],
    },
  ),
);

export function contactsIn({ contacts }: BodyOf<typeof sendContactsRequest>): ContactsContent {
  return {
    type: 'contacts',
    contacts: contacts.map(({ name, first_name, last_name, phones, emails, organization }) => ({
      name,
      firstName: first_name ?? null,
      lastName: last_name ?? null,
      phones: (phones ?? []).map(({ phone, type, wa_id: waId }) => ({
        phone,
        type: type ?? null,
        waId: waId ?? null,
      })),
      emails: (emails ?? []).map(({ email, type }) => ({ email, type: type ?? null })),
      organization: organization ?? null,
    })),
  };
}

export const sendReactionRequest = requestBody(
  withExample(
    requestObject('SendReactionRequest', {
      ...to,
      message_id: {
        ...text({ maxLength: 64 }),
        description: '`message_id` of a message of this conversation; see `reply_to`',
      },
      emoji: { ...text({ maxLength: 32 }), description: 'One emoji; an empty text takes the reaction back' },
    }),
    { ...example, message_id: someId, emoji: '👍' },
  ),
);
