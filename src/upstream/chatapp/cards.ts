import type {
  ContactCard,
  ContactsContent,
  LocationContent,
  ReactionContent,
} from '../../rules/messages/cards.ts';

/** Places, contacts and reactions. [upstream §3.1] */
export type ChatappCard =
  | { type: 'location'; location: object }
  | { type: 'contacts'; contacts: object[] }
  | { type: 'reaction'; reaction: { message_id: string; emoji: string } };

export function writeCard(content: LocationContent | ContactsContent | ReactionContent): ChatappCard {
  switch (content.type) {
    case 'location': {
      const { latitude, longitude, name, address } = content;
      return { type: 'location', location: { latitude, longitude, ...given({ name, address }) } };
    }
    case 'contacts':
      return { type: 'contacts', contacts: content.contacts.map(writeContact) };
    case 'reaction':
      return { type: 'reaction', reaction: { message_id: content.to, emoji: content.emoji } };
    default:
      return content satisfies never;
  }
}

/** Upstream requires one more part of the name beside the formatted one. */
function writeContact({ name, firstName, lastName, phones, emails, organization }: ContactCard): object {
  const first = firstName === null && lastName === null ? name : firstName;
  return {
    name: { formatted_name: name, ...given({ first_name: first, last_name: lastName }) },
    phones: phones.map(({ phone, type, waId }) => ({ phone, ...given({ type, wa_id: waId }) })),
    emails: emails.map(({ email, type }) => ({ email, ...given({ type }) })),
    ...(organization === null ? {} : { org: { company: organization } }),
  };
}

function given(members: Readonly<Record<string, string | null>>): Record<string, string> {
  const has = (entry: [string, string | null]): entry is [string, string] => entry[1] !== null;
  return Object.fromEntries(Object.entries(members).filter(has));
}
