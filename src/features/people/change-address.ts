/**
 * A person's new e-mail address. With a mail server it is theirs when the link that is mailed there is opened in a session of theirs, or with
 * the password; without one nobody can prove an address, as at sign-up. The old address is told of both. [faults: 393]
 */
import type { Actor } from '../../rules/caller.ts';
import { addressIn } from '../../rules/email.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import { asError, fault, fieldFault } from '../../kernel/faults.ts';
import { checkedEmail } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { mailAddressChanged, mailAddressLink, mailAddressAsked, mailAddressHeld } from './address-mails.ts';
import { provesPerson } from './confirm.ts';
import { findHolder } from './passes.ts';
import { requirePassword } from './passwords.ts';
import { shownOf } from './snapshot.ts';
import type { ConfirmRequest, Confirming, Credentials } from './types.ts';

/**
 * `email`: the new address; `password`: the person's. Throws 422 `validation`, 429. With a mail server the answer does not reveal whether the
 * address has an account; only a mail to it says so.
 */
export async function askAddressChange(
  world: World,
  by: Visitor,
  { email, password, address }: Credentials,
): Promise<'mailed' | 'changed'> {
  const asked = checkedEmail(email);
  await requirePassword(world, by, { password, address });
  const person = await world.stores.people.byId(by.personId);
  if (person === null) throw fault('not_found', { what: 'Person' });
  if (asked === addressIn(person.email)) throw atEmail('This is your address already.');
  world.peopleLimits.addressChange.take(person.id);
  if (world.settings.sendsMail) {
    tellBoth(world, person, asked);
    return 'mailed';
  }
  if (await changeTo(world, by.caller.by, person, asked)) return 'changed';
  throw atEmail('This address has an account already.');
}

const atEmail = (why: string): Error => fieldFault(['body', 'email'], why);

/** Not awaited: neither duration nor failure may reveal whether the address is known. A lost mail can be asked for again. */
function tellBoth(world: World, person: Person, asked: string): void {
  const mail = async (): Promise<void> => {
    // An unconfirmed address may be a stranger's.
    if (person.confirmedAt !== null) await mailAddressAsked(world, person);
    world.peopleLimits.mailAccount.take(asked);
    const holder = await findHolderBut(world, person, asked);
    await (holder === null ? mailAddressLink(world, person, asked) : mailAddressHeld(world, holder, asked));
  };
  mail().catch((thrown: unknown) =>
    world.log.warn({ error: asError(thrown), person: person.id }, 'portal.address-link-not-mailed'),
  );
}

/** The account that has the address, unless the person may take it: nobody has it, or their own account without a person. */
async function findHolderBut(
  { stores }: World,
  { id, accountId }: Pick<Person, 'id' | 'accountId'>,
  address: string,
): Promise<string | null> {
  const person = await stores.people.byEmail(address);
  if (person !== null) return person.id === id ? null : person.accountId;
  const account = await stores.accounts.byEmail(address);
  return account === null || account.id === accountId ? null : account.id;
}

/** What a link to a new address still needs. */
export async function changingAddress(
  world: World,
  { token, session }: Pick<ConfirmRequest, 'token' | 'session'>,
): Promise<{ needs: Confirming; email: string }> {
  const held = await findHolder(world, token, 'address', 'find');
  const email = held?.pass.email ?? null;
  if (held === null || email === null) return { needs: 'used_up', email: '' };
  const isTheirs = await provesPerson(world, held.person, { session });
  return { needs: isTheirs ? 'nothing' : 'password', email };
}

/** `password`: it is missing or wrong. `used_up`: also if somebody else has the address meanwhile. Throws 429. */
export async function changeAddress(
  world: World,
  by: Actor | undefined,
  { token, session, ...typed }: ConfirmRequest,
): Promise<'changed' | Exclude<Confirming, 'nothing'>> {
  const held = await findHolder(world, token, 'address', 'find');
  if (held === null) return 'used_up';
  if (!(await provesPerson(world, held.person, { session, typed }))) return 'password';
  const taken = await findHolder(world, token, 'address', 'take');
  if (taken === null || taken.pass.email === null) return 'used_up';
  return (await changeTo(world, by, taken.person, taken.pass.email)) ? 'changed' : 'used_up';
}

/** False if somebody else has the address. Links that were mailed to the old address end. */
async function changeTo(
  world: World,
  by: Actor | undefined,
  person: Person,
  address: string,
): Promise<boolean> {
  const { stores, clock } = world;
  const { id, accountId, confirmedAt } = person;
  const old = addressIn(person.email);
  if ((await findHolderBut(world, person, address)) !== null) return false;
  if (!(await stores.people.confirm(person, address, clock.now()))) return false;
  for (const kind of ['reset', 'confirm', 'address'] as const) await stores.passes.keepNewest(id, kind, 0);
  await stores.keys.renameMaker(accountId, old, address);
  const shown = (email: string) => shownOf(person, { email });
  await audit(world, by, 'person.address-changed', shown(old), shown(address));
  if (confirmedAt !== null && world.settings.sendsMail) await mailAddressChanged(world, person, address);
  return true;
}
