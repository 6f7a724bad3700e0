import { asId, asList, asName, asRecord } from '../read.ts';

/** A contact of the webhook. */
export interface Named {
  /** Index in the list of contacts: the first matching contact wins. */
  at: number;
  name: string | null;
  username: string | null;
  userId: string | null;
}

/** Names of the contacts in one webhook, indexed once however many messages ask. [upstream §4.1; faults: 94] */
export class Names {
  readonly #contacts: unknown;
  #byNumber: Map<string, Named> | null = null;
  readonly #byUserId = new Map<string, Named>();

  constructor(contacts: unknown) {
    this.#contacts = contacts;
  }

  /** The first contact with this number or this id; `from` may be an id too. */
  of(from: string, userId: string | null): Named | null {
    const byNumber = this.#read().get(from);
    const byUserId = this.#byUserId.get(userId ?? from);
    if (byNumber === undefined || byUserId === undefined) return byNumber ?? byUserId ?? null;
    return byNumber.at < byUserId.at ? byNumber : byUserId;
  }

  /** The number of the only contact, or else its id; null if there are more contacts, or none. */
  only(): string | null {
    const [contact, ...more] = asList(this.#contacts);
    const given = more.length > 0 ? null : asRecord(contact);
    return withoutPlus(asId(given?.['wa_id']) ?? asId(given?.['user_id']));
  }

  #read(): Map<string, Named> {
    if (this.#byNumber !== null) return this.#byNumber;
    this.#byNumber = new Map();
    for (const [at, item] of asList(this.#contacts).entries()) {
      const contact = asRecord(item);
      if (contact === null) continue;
      const profile = asRecord(contact['profile']);
      const userId = asId(contact['user_id']);
      const named = { at, name: asName(profile?.['name']), username: asName(profile?.['username']), userId };
      keepFirst(this.#byNumber, withoutPlus(asId(contact['wa_id'])), named);
      keepFirst(this.#byUserId, userId, named);
    }
    return this.#byNumber;
  }
}

function keepFirst(all: Map<string, Named>, id: string | null, named: Named): void {
  if (id !== null && !all.has(id)) all.set(id, named);
}

export function withoutPlus(id: string | null): string | null {
  return id !== null && id.startsWith('+') ? asId(id.slice(1)) : id;
}
