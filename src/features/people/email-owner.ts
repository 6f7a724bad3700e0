/** An address belongs to one account at most: as its address or as a person's. [operator-interface §4, people of an account] */
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { newId } from '../../kernel/ids.ts';
import type { World } from '../world.ts';

/** The account of an address, with the address as recipient of its mails. */
export interface EmailOwner {
  accountId: string;
  recipient: string;
}

/** null: nobody has confirmed the address, and no operator created an account for it. */
export async function findEmailOwner({ stores }: World, address: string): Promise<EmailOwner | null> {
  const person = await stores.people.byEmail(address);
  const accountId = person?.accountId ?? (await stores.accounts.byEmail(address))?.id ?? null;
  return accountId === null ? null : { accountId, recipient: address };
}

/** False if another account has the address. The store's unique index decides between concurrent proofs. */
export async function confirmAddress(world: World, person: Person): Promise<boolean> {
  const { accountId, email } = person;
  const address = addressIn(email);
  const holder = await findEmailOwner(world, address);
  if (holder !== null && holder.accountId !== accountId) return false;
  return world.stores.people.confirm(person, address, world.clock.now());
}

/** An account's first person, before a password is chosen. */
export function newFounder({ id, email }: { id: string; email: string }, now: number): Person {
  return newPerson({ id, accountId: id, role: 'owner', email }, now);
}

const nothingChosen = { stepSecret: null, stepUsed: null, stepSince: null, mailTopics: null };

/** A person before a password is chosen. */
export function newPerson(who: Pick<Person, 'id' | 'accountId' | 'role' | 'email'>, now: number): Person {
  return {
    ...who,
    passwordHash: null,
    passwordVersion: newId(),
    confirmedAt: null,
    createdAt: now,
    lastSeenAt: null,
    homeSeenAt: null,
    homeSince: null,
    ...nothingChosen,
  };
}
