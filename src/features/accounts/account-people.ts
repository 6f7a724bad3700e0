/** The people of an account. One owner always remains, however many are removed or lowered at once. [faults: 163] */
import { hasJoined } from '../../rules/person.ts';
import type { Person, Role } from '../../rules/person.ts';
import { removeSeen } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { storedSpellings } from '../../rules/email.ts';
import { accounts } from './entity.ts';
import { people as peopleEntity } from './people-entity.ts';
import type { StoredPerson } from './people-entity.ts';

type Named = Pick<Person, 'id' | 'accountId'>;

/** Each change keeps at least one owner, also when several run concurrently. */
export class AccountPeople {
  readonly #people;
  readonly #accounts;

  constructor(recordsOf: RecordsOf) {
    this.#people = recordsOf(peopleEntity);
    this.#accounts = recordsOf(accounts);
  }

  /** Oldest first; includes invited people. */
  readonly ofAccount = async (accountId: string): Promise<Person[]> => {
    const first = await this.#people.one({ id: accountId });
    const others = await this.#people.list({ by: 'ofAccount', equal: { accountId }, limit: null });
    return [...(first === null ? [] : [first]), ...others].map(toPerson);
  };

  /** `was`: the role that the write found. With `seen`, a person whose role is another is left as they are. */
  readonly setRole = async (
    { id, accountId }: Named,
    role: Role,
    seen?: Role,
  ): Promise<{ was: Role } | NotLowered | 'changed'> => {
    const set = async (to: Role, from: { role?: Role } = {}): Promise<StoredPerson | null> => {
      const changed = await this.#people.patchBoth({ which: { ...from, id }, change: { set: { role: to } } });
      return changed?.before ?? null;
    };
    const person = await this.#inAccount({ id, accountId });
    if (person === null) return 'not_there';
    const from = seen === undefined ? {} : { role: seen };
    if (seen !== undefined && seen !== person.role) return 'changed';
    const lowered =
      role === 'owner'
        ? foundBy(await set(role, from))
        : await this.#stepBack(person, {
            step: () => set(role, from),
            back: async (found) => (await set('owner')) ?? this.#people.insert({ ...found, role: 'owner' }),
          });
    // Processes that ended while owners left may have left the mails with a person who was removed. [faults: 209]
    if (role === 'owner') await this.leaveMailsWithOwner(accountId);
    const isChanged = lowered === 'not_there' && (await this.#inAccount({ id, accountId })) !== null;
    if (isChanged) return 'changed';
    return typeof lowered === 'string' ? lowered : { was: lowered.was.role };
  };

  /** If the account's mails went to this person, they go to its oldest owner from then on. `was`: the person as the removal found them. */
  readonly remove = async (named: Named): Promise<{ was: Person } | NotLowered> => {
    const person = await this.#inAccount(named);
    if (person === null) return 'not_there';
    return this.#stepBack(person, {
      step: () => removeSeen(this.#people, { id: person.id }, ({ role, email }) => ({ role, email })),
      back: (removed) => this.#people.insert({ ...removed, role: 'owner' }),
    });
  };

  async #inAccount({ id, accountId }: Named): Promise<Person | null> {
    const person = orNull(await this.#people.one({ id }));
    return person?.accountId === accountId ? person : null;
  }

  /**
   * Looks for another owner before and after the step. Of concurrent calls the last sees all steps, and a call that left no owner undoes
   * its step: the person is an owner again, whatever another call has made of them meanwhile. Two calls may both undo theirs: their callers
   * must retry, but no account loses its last owner. [faults: 495]
   */
  async #stepBack(person: Person, { step, back }: Step): Promise<{ was: Person } | NotLowered> {
    const { accountId, email } = person;
    const heir = await this.#oldestOwnerBut(person);
    if (isActingOwner(person) && heir === null) return 'last_owner';
    // First, so that a crash cannot leave the account's mails with a person who was removed.
    const isMoved = heir !== null && (await this.#moveMails(accountId, email, heir.email));
    const found = await step();
    const seen = found === null ? [person] : [person, toPerson(found)];
    if (!seen.some(isActingOwner)) return foundBy(found);
    const isLast = found !== null && (await this.#oldestOwnerBut(person)) === null;
    if (isLast) await back(found);
    if (isLast && isMoved && heir !== null) await this.#moveMails(accountId, heir.email, email);
    await this.leaveMailsWithOwner(accountId);
    return isLast ? 'last_owner' : foundBy(found);
  }

  async #oldestOwnerBut({ id, accountId }: Named): Promise<Person | null> {
    const people = await this.ofAccount(accountId);
    return people.find((each) => each.id !== id && isActingOwner(each)) ?? null;
  }

  /**
   * An heir may have left before it received the mails, and so may the next one: with the account's address a removed person could sign
   * in again. So every call looks after its step, until the address is that of an owner who remains. Without an owner there is nothing to
   * do: the call that finds none undoes its step, and looks then. [faults: 201]
   */
  readonly leaveMailsWithOwner = async (id: string): Promise<void> => {
    let tried: string | null = null;
    for (;;) {
      const account = await this.#accounts.one({ id });
      const owners = (await this.ofAccount(id)).filter(isActingOwner);
      const [heir] = owners;
      if (account === null || heir === undefined || owners.some(({ email }) => email === account.email))
        return;
      // The heir's address belongs to another account.
      if (account.email === tried) return;
      tried = account.email;
      await this.#moveMails(id, account.email, heir.email);
    }
  };

  async #moveMails(id: string, from: string, to: string): Promise<boolean> {
    const which = { id, email: from };
    return (await this.#accounts.patch({ which, change: { set: { email: to } } })) !== null;
  }
}

interface Step {
  /** Returns the person as it found them; null if the person does not exist. */
  step: () => Promise<StoredPerson | null>;
  back: (found: StoredPerson) => Promise<unknown>;
}

/** An invited person does not act for the account yet. */
function isActingOwner(person: Person): boolean {
  return person.role === 'owner' && hasJoined(person);
}

function foundBy(step: StoredPerson | null): { was: Person } | NotLowered {
  return step === null ? 'not_there' : { was: toPerson(step) };
}

export function toPerson(stored: StoredPerson): Person {
  return { ...stored, accountId: stored.accountId ?? stored.id };
}

export function orNull(found: StoredPerson | null): Person | null {
  return found === null ? null : toPerson(found);
}

export function toStored({ accountId, ...person }: Person): StoredPerson {
  return { ...person, accountId: accountId === person.id ? null : accountId };
}

/**
 * Finds the item with this e-mail address, also if an older version stored it in another spelling. Nearly every address has one spelling.
 */
export async function findByEmail<T>(
  email: string,
  findStored: (spelled: string) => Promise<T | null>,
): Promise<T | null> {
  for (const spelled of storedSpellings(email)) {
    const found = await findStored(spelled);
    if (found !== null) return found;
  }
  return null;
}

/** `last_owner`: nothing changes, because an account must keep an owner who can sign in. */
export type NotLowered = 'not_there' | 'last_owner';
