/** People who sign in, and the secrets that were handed to them: of sessions and of links in mails. */
import type { Pass, PassKind, Person } from '../../rules/person.ts';
import { insertNew } from '../../storage/records.ts';
import type { Records, RecordsOf } from '../../storage/records.ts';
import { leavingEmail } from '../../rules/email.ts';
import { hasRoom } from '../../storage/bounds.ts';
import type { MailTopic } from '../../rules/mails/topics.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import { AccountPeople, orNull, toPerson, toStored, findByEmail } from './account-people.ts';
import { accounts as accountsEntity } from './entity.ts';
import { passes as passesEntity, people as peopleEntity } from './people-entity.ts';
import type { StoredPerson, StoredPass } from './people-entity.ts';

export function personStore(recordsOf: RecordsOf) {
  const people = recordsOf(peopleEntity);
  const { ofAccount, setRole, remove, leaveMailsWithOwner } = new AccountPeople(recordsOf);

  return {
    /** False if a person has this id or this e-mail address. */
    insert: (person: Person): Promise<boolean> => people.insert(toStored(person)),
    /** `taken`: as `insert`. `full`: nothing is inserted, because the account has `max` people; holds under concurrent inserts. */
    async invite(person: Person, max: number): Promise<'invited' | 'taken' | 'full'> {
      const { id, accountId } = person;
      if (!(await people.insert(toStored(person)))) return 'taken';
      if (await hasRoom({ id, max }, () => ofAccount(accountId))) return 'invited';
      await people.remove({ id });
      return 'full';
    },
    ...looksOf(people),
    ofAccount,
    /** False if there is no such person, or if the password is another than the one that was seen: the first one counts. */
    setPassword: async (
      { id, passwordVersion: seen }: Pick<Person, 'id' | 'passwordVersion'>,
      { passwordHash, passwordVersion }: NewPassword,
    ): Promise<boolean> =>
      (await people.patch({
        which: { id, passwordVersion: seen },
        change: { set: { passwordHash, passwordVersion } },
      })) !== null,
    confirm: confirmation(recordsOf),
    /** Lets an invited person sign in with this address. False: the person has joined already, was removed, or another has the address. */
    async join(id: string, joined: NewPassword & Pick<Person, 'email'>, now: number): Promise<boolean> {
      const which = { id, passwordHash: null };
      const joining = { set: joined, min: { confirmedAt: now } };
      const person = orNull(await people.patch({ which, change: joining }));
      // The first owner of an account that had none left. [faults: 209]
      if (person?.role === 'owner') await leaveMailsWithOwner(person.accountId);
      return person !== null;
    },
    setRole,
    remove,
    ...stepsOf(people),
  };
}

function confirmation(recordsOf: RecordsOf) {
  const people = recordsOf(peopleEntity);
  const accounts = recordsOf(accountsEntity);
  const { leaveMailsWithOwner } = new AccountPeople(recordsOf);

  async function moveAccount(id: string, from: string, to: string): Promise<boolean> {
    return (await accounts.patch({ which: { id, email: from }, change: { set: { email: to } } })) !== null;
  }

  /**
   * Records that the person owns this address; the account gets it too if it uses the person's address. The time of the first proof
   * is kept. False, and nothing changes, if another account has the address, or if the person has another one meanwhile than was seen. The
   * account's unique address decides. A call that is repeated after a crash finds the address already changed.
   */
  return async (
    { id, email: seen }: Pick<Person, 'id' | 'email'>,
    email: string,
    now: number,
  ): Promise<boolean> => {
    const person = orNull(await people.one({ id }));
    const account = person === null ? null : await accounts.one({ id: person.accountId });
    if (person === null || account === null || account.email === leavingEmail(account.id)) return false;
    if (![seen, email].includes(person.email)) return false;
    const isOfBoth = [person.email, email].includes(account.email);
    if (isOfBoth && !(await moveAccount(account.id, account.email, email))) return false;
    const which = { id, email: person.email };
    const confirmed = { set: { email }, min: { confirmedAt: now } };
    if ((await people.patch({ which, change: confirmed })) !== null) return true;
    // Another person has joined an account with this address in the meantime, or this one has another address.
    if (isOfBoth && (await moveAccount(account.id, email, account.email)))
      await leaveMailsWithOwner(account.id);
    return false;
  };
}

interface ChangedPerson {
  before: Person;
  after: Person;
}

/** The second step of signing in, and what the person chooses. */
function stepsOf(people: Records<StoredPerson>) {
  return {
    ...choicesOf(people),
    /** False if the person has a second step already. */
    beginStep: async (id: string, step: Step): Promise<boolean> =>
      (await people.patch({ which: { id, stepSecret: null }, change: { set: step } })) !== null,
    /** Of concurrent calls with one period, or an earlier one than the last, one gets true. */
    useStep: async (id: string, period: number): Promise<boolean> =>
      (await people.patch({
        which: { id },
        range: { on: 'stepUsed', below: period },
        change: { set: { stepUsed: period } },
      })) !== null,
    /** False if the person has no second step. */
    async endStep(id: string): Promise<boolean> {
      const set = { stepSecret: null, stepUsed: null, stepSince: null };
      const ended = await people.patchBoth({ which: { id }, change: { set } });
      return ended !== null && ended.before.stepSecret !== null;
    },
    /** People with a second step, in the order in which they got it. */
    withStep: async (after: { stepSince: number; id: string }, limit: number): Promise<Person[]> =>
      (
        await people.list({
          by: 'withStep',
          range: { on: 'stepSince', from: 0 },
          after: [after.stepSince, after.id],
          limit,
        })
      ).map(toPerson),
    /** Seals it anew. False, and nothing changes, if it is another meanwhile. */
    resealStep: async (id: string, from: SealedText, to: SealedText): Promise<boolean> =>
      (await people.patch({ which: { id, stepSecret: from }, change: { set: { stepSecret: to } } })) !== null,
  };
}

function choicesOf(people: Records<StoredPerson>) {
  return {
    /** The person before and after this write; null: there is none. */
    async chooseMails(id: string, mailTopics: readonly MailTopic[]): Promise<ChangedPerson | null> {
      const both = await people.patchBoth({ which: { id }, change: { set: { mailTopics } } });
      return both === null ? null : { before: toPerson(both.before), after: toPerson(both.after) };
    },
  };
}

type Step = { [K in 'stepSecret' | 'stepUsed' | 'stepSince']: NonNullable<Person[K]> };

function looksOf(people: Records<StoredPerson>) {
  return {
    byId: async (id: string): Promise<Person | null> => orNull(await people.one({ id })),
    byEmail: async (email: string): Promise<Person | null> =>
      orNull(await findByEmail(email, (spelled) => people.one({ email: spelled }))),
    noteLook: (id: string, look: Pick<Person, 'homeSeenAt' | 'homeSince'>): Promise<void> =>
      people.patchEach([{ which: { id }, change: { set: look } }]),
    /** The stored time never moves back. */
    noteSeen: (id: string, at: number): Promise<void> =>
      people.patchEach([{ which: { id }, change: { max: { lastSeenAt: at } } }]),
  };
}

export function passStore(recordsOf: RecordsOf) {
  const passes = recordsOf(passesEntity);
  return {
    insert: ({ personId, ...pass }: Pass): Promise<void> =>
      insertNew(passes, { ...pass, accountId: personId }),
    /** The unexpired pass of this kind; null otherwise. */
    find: async (id: string, kind: PassKind, now: number): Promise<Pass | null> =>
      toPass(await passes.one({ id, kind }, { on: 'expiresAt', above: now })),
    /** As `find`, and consumes the pass: exactly one caller gets it. */
    take: async (id: string, kind: PassKind, now: number): Promise<Pass | null> =>
      toPass(await passes.take({ id, kind }, { on: 'expiresAt', above: now })),
    /** The unexpired passes of this person and kind, newest first. */
    async list(personId: string, kind: PassKind, now: number): Promise<Pass[]> {
      const equal = { accountId: personId, kind };
      const all = await passes.list({ by: 'ofAccount', equal, isDescending: true, limit: null });
      return all.filter(({ expiresAt }) => expiresAt > now).map(fromStored);
    },
    /** As `take`, if the pass is this person's. */
    takeOf: async (personId: string, id: string, kind: PassKind, now: number): Promise<Pass | null> =>
      toPass(await passes.take({ id, kind, accountId: personId }, { on: 'expiresAt', above: now })),
    /** The stored time never moves back. */
    noteSeen: (id: string, at: number): Promise<void> =>
      passes.patchEach([{ which: { id }, change: { max: { seenAt: at } } }]),
    /** Drops all but the newest `count` passes of this person and kind. */
    async keepNewest(personId: string, kind: PassKind, count: number): Promise<void> {
      const equal = { accountId: personId, kind };
      const older = await passes.list({
        by: 'ofAccount',
        equal,
        isDescending: true,
        skip: count,
        limit: null,
      });
      if (older.length > 0) await passes.removeEach(older.map(({ id }) => id));
    },
    /** Drops the person's passes of every kind. */
    async dropForPerson(personId: string): Promise<void> {
      const equal = { accountId: personId };
      const all = await passes.list({ by: 'ofAccount', equal, limit: null });
      if (all.length > 0) await passes.removeEach(all.map(({ id }) => id));
    },
    dropExpired: (before: number, stopping?: AbortSignal): Promise<number> =>
      passes.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}

function toPass(found: StoredPass | null): Pass | null {
  return found === null ? null : fromStored(found);
}

function fromStored({ accountId: personId, ...pass }: StoredPass): Pass {
  return { ...pass, personId };
}

/** Fields that a new password changes. */
type NewPassword = Pick<Person, 'passwordHash' | 'passwordVersion'>;
