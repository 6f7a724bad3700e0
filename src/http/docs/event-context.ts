/** Schemas of what events carry beside text and files. [spec: Additions] */
import { referralMembers } from '../../rules/events/context-blocks.ts';
import { listOf, openObject, responseObject, string } from '../validation/json-schema.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

const number: JsonSchema<number> = { type: 'number' };

const replyTo = responseObject(
  'EventReplyTo',
  {},
  {
    message_id: {
      ...string,
      description: 'The `message_id` of the answered message, if the service knows it',
    },
    upstream_message_id: { ...string, description: "Otherwise upstream's id of it" },
    story: {
      ...responseObject('EventStory', {}, { id: string, url: string }),
      description: 'The story of the business that the person answers',
    },
  },
);

const referralNotes: Readonly<Record<string, string>> = {
  source: "`ad`, `post`, `product`, or another word of upstream's",
  source_id: 'Id of the ad or post',
  ctwa_clid: "Upstream's id of the click, to report a conversion",
  ref: 'The text that the business put into its link or ad',
  product_id: 'The product of the catalogue that the person asks about',
};

const referral = responseObject(
  'EventReferral',
  {},
  Object.fromEntries(
    referralMembers.map((name) => {
      const description = referralNotes[name];
      return [name, description === undefined ? string : { ...string, description }];
    }),
  ),
);

const button = responseObject(
  'EventButton',
  {},
  { id: { ...string, description: 'What the business gave the button, row or quick reply' }, title: string },
);

const contact = responseObject(
  'EventContact',
  {},
  {
    name: string,
    phones: listOf(
      responseObject(
        'EventContactPhone',
        {},
        { phone: string, wa_id: string, user_id: string, type: string },
      ),
    ),
    emails: listOf(responseObject('EventContactEmail', {}, { email: string, type: string })),
    organization: string,
    origin: { ...string, description: '`contact_request`: the person answers a request for the number' },
  },
);

const orderItem = responseObject(
  'EventOrderItem',
  {},
  { product_id: string, quantity: number, price: number, currency: string },
);

const content = responseObject(
  'EventContent',
  {},
  {
    latitude: { ...number, description: 'A place' },
    longitude: number,
    name: { ...string, description: 'Of a place or a form' },
    address: string,
    url: { ...string, description: 'Of a place, a shared post or a link' },
    id: { ...string, description: "Upstream's id of a shared post or reel" },
    title: string,
    contacts: { ...listOf(contact), description: 'At most 50' },
    catalog_id: { ...string, description: 'An order' },
    text: string,
    items: { ...listOf(orderItem), description: 'At most 50' },
    body: { ...string, description: 'A form' },
    response: {
      ...openObject,
      description: 'The answers of a form, as its author has named them; at most 32 KiB',
    },
  },
);

/** What a message holds, on every event that carries one. */
export const contentMembers: Readonly<Record<string, JsonSchema>> = {
  button: { ...button, description: 'Present if a button, row or quick reply was pressed' },
  content: {
    ...content,
    description: 'What an `unsupported` message holds; the members depend on `unsupported_type`',
  },
  unsupported_reason: { ...string, description: "Upstream's word or code for what it does not show" },
};

/** Who wrote, what the person answers, and where the person came from. */
export const contextMembers: Readonly<Record<string, JsonSchema>> = {
  from_user_id: {
    ...string,
    description: 'Business-scoped id of the sender, beside `from`; usable as `recipient`',
  },
  from_username: { ...string, description: 'Name that the sender has chosen at the platform' },
  reply_to: {
    ...replyTo,
    description: 'The message or story that the person answers; on the first event only',
  },
  referral: { ...referral, description: 'Where the person came from; on the first event only' },
};

/** How upstream names the recipient of a message. */
export const recipientMembers: Readonly<Record<string, JsonSchema>> = {
  recipient_user_id: { ...string, description: 'Business-scoped id of the recipient, if upstream names it' },
  wa_id: { ...string, description: 'Number of the recipient at upstream, if it is not `recipient`' },
};

export const personUpdated = responseObject(
  'PersonUpdatedData',
  {
    message_id: { ...string, description: 'Id of the notice, opaque: use it to detect duplicates' },
    from: {
      ...string,
      description: 'The person from now on, as in `message.received`; usable as `recipient`',
    },
  },
  {
    from_user_id: { ...string, description: 'Business-scoped id from now on' },
    previous_from: { ...string, description: 'The number until now; present if it is another' },
    previous_user_id: { ...string, description: 'Business-scoped id until now' },
  },
);
