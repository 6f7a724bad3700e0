import type { Actor } from '../../rules/caller.ts';
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { asError, Fault, fault, fieldFault, requireValid } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { mailConfirmation, mailKnown } from './mails.ts';
import { findEmailOwner, newFounder } from './email-owner.ts';
import { newPass } from './passes.ts';
import { personSnapshot } from './snapshot.ts';
import { hashForStranger, passwordProblem } from './passwords.ts';
import type { SignedIn, SignUpRequest } from './types.ts';
import { maxAccountName, emailProblem, createKeylessAccount } from '../accounts/index.ts';

/**
 * Creates an account with its trial, then its first person. The account comes first, because the unique address decides between
 * concurrent sign-ups. A crash in between leaves an account without person, as operators create them; its holder can use "forgot
 * password". Throws 404 `unknown_path` if sign-up is closed, 422 `validation`, 429. [operator-interface §4, sign-up]
 *
 * With a mail server the answer is the same whether or not the address is known: the account has no address until its person has
 * confirmed it, and only a mail says which. Without one nobody can confirm an address, so that a known address is refused. [faults: 133]
 */
export async function signUp(
  world: World,
  by: Actor | undefined,
  { email, password, address, name = '', agent = null }: SignUpRequest,
): Promise<SignedIn> {
  if (!world.settings.signup) throw fault('unknown_path');
  requireValid({
    email: emailProblem(email),
    name: nameProblem(name),
    password: passwordProblem(password, email),
  });
  const passwordHash = await hashForStranger(world, password, address);
  const account = await newAccount(world, email, name === '' ? null : name);
  const now = world.clock.now();
  const confirmedAt = world.settings.sendsMail ? null : now;
  const person = {
    ...newFounder(account, now),
    passwordHash,
    confirmedAt,
  };
  if (!(await world.stores.people.insert(person))) throw taken();
  await audit(world, by, 'account.created', null, personSnapshot(person));
  const signedIn = await newPass(world, person, 'session', { address, agent });
  if (confirmedAt === null) tellAddress(world, person);
  return signedIn;
}

/** Not awaited: neither duration nor failure may reveal whether the address is known. A person without a mail can ask for another. */
function tellAddress(world: World, person: Person): void {
  const address = addressIn(person.email);
  const mail = async (): Promise<void> => {
    world.peopleLimits.mailAccount.take(address);
    const holder = await findEmailOwner(world, address);
    await (holder === null ? mailConfirmation(world, person) : mailKnown(world, holder));
  };
  mail().catch((thrown: unknown) =>
    world.log.warn({ error: asError(thrown), account: person.id }, 'portal.confirmation-not-mailed'),
  );
}

/** Control characters, surrogates and bidirectional controls. */
const invisible = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** The name is shown to strangers, so it must be one line of plain text. null: it is. */
function nameProblem(name: string): string | null {
  if (name.length > maxAccountName) return `Use at most ${maxAccountName} characters.`;
  return invisible.test(name) ? 'Use letters, digits and signs only.' : null;
}

async function newAccount(
  world: World,
  email: string,
  name: string | null,
): Promise<{ id: string; email: string }> {
  try {
    const { account } = await createKeylessAccount(
      world,
      { email, name },
      { isConfirmed: !world.settings.sendsMail },
    );
    return { id: account.id, email: account.email };
  } catch (thrown) {
    throw thrown instanceof Fault && thrown.code === 'conflict' ? taken() : thrown;
  }
}

function taken(): Error {
  return fieldFault(
    ['body', 'email'],
    'This address has an account already. Sign in, or ask for a new password.',
  );
}
