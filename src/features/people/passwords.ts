/** Choosing and verifying passwords. */
import type { HashPlace } from './password-hashing.ts';
import { addressIn, emailAsStored } from '../../rules/email.ts';
import { countCharacters } from '../../rules/messages/text.ts';
import { siteOf } from '../../kernel/client-network.ts';
import { fieldFault, requireValid } from '../../kernel/faults.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import type { World } from '../world.ts';
import type { Credentials } from './types.ts';

/** In code points. There are no rules about kinds of characters. */
export const passwordLengths = { min: 10, max: 200 };

/** Throws 422 `validation` at `password`. */
export function checkPassword(password: string, email: string): void {
  requireValid({ password: passwordProblem(password, email) });
}

/** Why the password can't be chosen; null if it can. */
export function passwordProblem(password: string, email: string): string | null {
  const { min, max } = passwordLengths;
  const length = countCharacters(password);
  if (length < min) return `Use at least ${min} characters.`;
  if (length > max) return `Use at most ${max} characters.`;
  return password.toLowerCase() === emailAsStored(email) ? 'Use something else than your address.' : null;
}

/** What a counted try comes to. */
interface CountedTry {
  /** It does not count as a guess, but its hash still counts. */
  wasRight: () => void;
  /** The password was not looked at: nothing counts. */
  wasRefused: () => void;
}

/**
 * Counts a password before it is verified, for the client's address and the account. Those of somebody known are counted apart, and are no
 * guesses of the address, so that strangers can lock out nobody who signed in before. Throws 429. [faults: 84, 113, 320]
 */
export function countTry(
  { peopleLimits }: Pick<World, 'peopleLimits'>,
  { address, account, isKnown }: { address: string; account: string; isKnown: boolean },
): CountedTry {
  const { signInAddress, signInAccount, passwordAddress, passwordAccount } = peopleLimits;
  const name = isKnown ? knownTries(account) : account;
  if (!isKnown) signInAddress.take(address);
  signInAccount.take(name);
  passwordAddress.take(address);
  passwordAccount.take(name);
  const wasRight = (): void => {
    if (!isKnown) signInAddress.giveBack(address);
    signInAccount.giveBack(name);
  };
  const wasRefused = (): void => {
    wasRight();
    passwordAddress.giveBack(address);
    passwordAccount.giveBack(name);
  };
  return { wasRight, wasRefused };
}

const knownTries = (account: string): string => `known ${account}`;

/** After a new password. */
export function forgetTries({ peopleLimits }: Pick<World, 'peopleLimits'>, account: string): void {
  for (const name of [account, knownTries(account)]) {
    peopleLimits.signInAccount.clear(name);
    peopleLimits.passwordAccount.clear(name);
  }
}

/**
 * Verifies a password. Counted before the look-up; takes the same time without a person. `isKnown`: the browser has a session of the
 * person, or had one. null: no person or wrong password. Throws 429, 503 `overloaded`.
 */
export async function findByPassword(
  world: Pick<World, 'peopleLimits' | 'passwords'>,
  { email, password, address, isKnown }: Credentials & { isKnown: boolean },
  find: () => Promise<Person | null>,
): Promise<Person | null> {
  const { wasRight, wasRefused } = countTry(world, { address, account: email, isKnown });
  const person = await find();
  const tried = password.slice(0, passwordLengths.max * 2);
  const place = isKnown ? knownPlace(email) : addressPlace(world, address);
  const isRight = await orRefused(wasRefused, () =>
    world.passwords.verify(person?.passwordHash ?? null, tried, place),
  );
  if (!isRight || person === null) return null;
  wasRight();
  world.peopleLimits.knownAddresses.set(address, true);
  return person;
}

/** For changes of how a person signs in, which a stolen session must not make. Throws 422 `validation` at `password`, 429. */
export async function requirePassword(
  world: World,
  { personId, email }: Visitor,
  typed: Omit<Credentials, 'email'>,
): Promise<void> {
  const find = () => world.stores.people.byId(personId);
  const asked = { ...typed, email: addressIn(email), isKnown: true };
  if ((await findByPassword(world, asked, find)) === null)
    throw fieldFault(['body', 'password'], 'This is not your password.');
}

/** Hashes the password of somebody who signs up. Throws 429, 503 `overloaded`; the latter counts for nothing. */
export async function hashForStranger(
  world: Pick<World, 'peopleLimits' | 'passwords'>,
  password: string,
  address: string,
): Promise<string> {
  const { signUp } = world.peopleLimits;
  signUp.take(address);
  return orRefused(
    () => signUp.giveBack(address),
    () => world.passwords.hash(password, addressPlace(world, address)),
  );
}

/** The place of somebody who has a session or a mailed link. */
export const knownPlace = (of: string): HashPlace => ({ line: 'known', of });

function addressPlace({ peopleLimits }: Pick<World, 'peopleLimits'>, address: string): HashPlace {
  const line = peopleLimits.knownAddresses.has(address) ? 'known' : 'strangers';
  return { line, of: siteOf(address) ?? address };
}

async function orRefused<T>(refused: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    refused();
    throw thrown;
  }
}
