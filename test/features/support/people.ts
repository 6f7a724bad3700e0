/** People who sign in. */
import type { Visitor } from '../../../src/rules/person.ts';
import type { Service } from './service.ts';

export const password = 'correct horse battery';
export const address = '192.0.2.1';

/** The owner of an own account. */
export async function signedUp({ features }: Service, email: string): Promise<Visitor> {
  const { secret } = await features.signUp({ email, password, address });
  const visitor = await features.visitor(secret);
  if (visitor === null) throw new Error('nobody is signed in after sign-up');
  return visitor;
}

/** The secret in the link of a mail. */
export const tokenOf = (link: string): string => /token=([\w-]+)/.exec(link)?.[1] ?? '';

/** The secret of a new link for a person who is invited. */
export async function invitationTokenFor({ features }: Service, personId: string): Promise<string> {
  return tokenOf((await features.makeInvitationLink(personId)).link);
}
