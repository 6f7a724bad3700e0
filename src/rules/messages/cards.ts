/** Places, contacts and reactions: what is sent and is neither text nor file. chatapp only. [upstream §3.1] */
import { asText, recordsIn } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';

export interface LocationContent {
  type: 'location';
  /** In degrees. */
  latitude: number;
  longitude: number;
  name: string | null;
  address: string | null;
}

export interface ContactsContent {
  type: 'contacts';
  contacts: ContactCard[];
}

export interface ContactCard {
  /** As it is shown. */
  name: string;
  firstName: string | null;
  lastName: string | null;
  phones: { phone: string; type: string | null; waId: string | null }[];
  emails: { email: string; type: string | null }[];
  organization: string | null;
}

export interface ReactionContent {
  type: 'reaction';
  /** Upstream's id of the message. */
  to: string;
  /** Empty: takes the reaction back. */
  emoji: string;
}

/** Parses stored content; null if it is none of these, or invalid. */
export function readCard(stored: Json): LocationContent | ContactsContent | ReactionContent | null {
  switch (stored['type']) {
    case 'location': {
      const { latitude, longitude } = stored;
      if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
      const [name, address] = [asText(stored['name']), asText(stored['address'])];
      return { type: 'location', latitude, longitude, name, address };
    }
    case 'contacts':
      return { type: 'contacts', contacts: recordsIn(stored['contacts']).map(readContact) };
    case 'reaction': {
      const to = asText(stored['to']);
      return to === null ? null : { type: 'reaction', to, emoji: asText(stored['emoji']) ?? '' };
    }
    default:
      return null;
  }
}

function readContact(stored: Json): ContactCard {
  const text = (from: Json, name: string): string => asText(from[name]) ?? '';
  return {
    name: text(stored, 'name'),
    firstName: asText(stored['firstName']),
    lastName: asText(stored['lastName']),
    phones: recordsIn(stored['phones']).map((one) => ({
      phone: text(one, 'phone'),
      type: asText(one['type']),
      waId: asText(one['waId']),
    })),
    emails: recordsIn(stored['emails']).map((one) => ({
      email: text(one, 'email'),
      type: asText(one['type']),
    })),
    organization: asText(stored['organization']),
  };
}
