import { maxAccountName } from '../accounts/account.ts';
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { dayMs } from '../../kernel/clock.ts';
import { asError, Fault, fault, fieldFault, requireValid } from '../../kernel/faults.ts';
import { emailProblem } from '../accounts/checked-email.ts';
import { createKeylessAccount } from '../accounts/create-account.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { mailConfirmation, mailKnown } from './mails.ts';
import { findEmailOwner, newFounder } from './email-owner.ts';
import { newPass } from './passes.ts';
import { personSnapshot } from './snapshot.ts';
import { hashForStranger, passwordProblem } from './passwords.ts';
import type { PortalTerms, SignedIn, SignUpRequest } from './types.ts';

/** Settings that the pages show before sign-in. */
export function portalTerms({ settings }: UseCaseDeps): PortalTerms {
  const { signup, trialDays, trialTier, sendsMail, deliveryLogMs } = settings;
  return { signup, trialDays, trialTier, sendsMail, logDays: deliveryLogMs / dayMs };
}

/**
 * Creates an account with its trial, then its first person. The account comes first, because the unique address decides between
 * concurrent sign-ups. A crash in between leaves an account without person, as operators create them; its holder can use "forgot
 * password". Throws 404 `unknown_path` if sign-up is closed, 422 `validation`, 429. [operator-interface §4, sign-up]
 *
 * With a mail server the answer is the same whether or not the address is known: the account has no address until its person has
 * confirmed it, and only a mail says which. Without one nobody can confirm an address, so that a known address is refused. [faults: 133]
 */
export async function signUp(
  deps: UseCaseDeps,
  { email, password, address, name = '' }: SignUpRequest,
): Promise<SignedIn> {
  if (!deps.settings.signup) throw fault('unknown_path');
  requireValid({
    email: emailProblem(email),
    name: nameProblem(name),
    password: passwordProblem(password, email),
  });
  const passwordHash = await hashForStranger(deps, password, address);
  const account = await newAccount(deps, email, name === '' ? null : name);
  const now = deps.clock.now();
  const confirmedAt = deps.settings.sendsMail ? null : now;
  const person = {
    ...newFounder(account, now),
    passwordHash,
    confirmedAt,
  };
  if (!(await deps.stores.people.insert(person))) throw taken();
  await audit(deps, 'account.created', null, personSnapshot(person));
  const signedIn = await newPass(deps, person, 'session');
  if (confirmedAt === null) tellAddress(deps, person);
  return signedIn;
}

/** Not awaited: neither duration nor failure may reveal whether the address is known. A person without a mail can ask for another. */
function tellAddress(deps: UseCaseDeps, person: Person): void {
  const address = addressIn(person.email);
  const mail = async (): Promise<void> => {
    deps.peopleLimits.mailAccount.take(address);
    const holder = await findEmailOwner(deps, address);
    await (holder === null ? mailConfirmation(deps, person) : mailKnown(deps, holder));
  };
  mail().catch((thrown: unknown) =>
    deps.log.warn({ error: asError(thrown), account: person.id }, 'portal.confirmation-not-mailed'),
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
  deps: UseCaseDeps,
  email: string,
  name: string | null,
): Promise<{ id: string; email: string }> {
  try {
    const { account } = await createKeylessAccount(
      deps,
      { email, name },
      { isConfirmed: !deps.settings.sendsMail },
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
