/** An address has one account: by its account's address, or by a person's who was invited there. [operator-interface §4, people of an account] */
import { addressIn } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';

/** The account of an address, and the address: where a mail to them goes. */
export interface Holder {
  accountId: string;
  recipient: string;
}

/** null: nobody has proved this address, and no operator made an account for it. */
export async function findAddressHolder({ stores }: UseCaseDeps, address: string): Promise<Holder | null> {
  const person = await stores.people.byEmail(address);
  const accountId = person?.accountId ?? (await stores.accounts.byEmail(address))?.id ?? null;
  return accountId === null ? null : { accountId, recipient: address };
}

/** False when another has the address: two who prove it at one moment are told apart by what is unique in the store. */
export async function proveAddress(deps: UseCaseDeps, { id, accountId, email }: Person): Promise<boolean> {
  const address = addressIn(email);
  const holder = await findAddressHolder(deps, address);
  if (holder !== null && holder.accountId !== accountId) return false;
  return deps.stores.people.prove(id, address, deps.clock.now());
}

/** An account's first person, before a password is chosen. */
export function newFounder({ id, email }: { id: string; email: string }, now: number): Person {
  return newPerson({ id, accountId: id, role: 'owner', email }, now);
}

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
  };
}
