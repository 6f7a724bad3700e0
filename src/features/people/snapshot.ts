import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import type { Snapshot } from '../audit/index.ts';

/** A change of a person's password or proof of address: its values are never shown. */
export function personSnapshot({ id, accountId }: Pick<Person, 'id' | 'accountId'>): Snapshot {
  return { accountId, subject: id, shown: null };
}

/** A member of an account, with the role. */
export function memberSnapshot({
  id,
  accountId,
  email,
  role,
}: Pick<Person, 'id' | 'accountId' | 'email' | 'role'>): Snapshot {
  return { accountId, subject: id, shown: { email: addressIn(email), role } };
}

/** A change of how the person signs in. */
export function shownOf(
  { id, accountId }: Pick<Person, 'id' | 'accountId'>,
  shown: Snapshot['shown'],
): Snapshot {
  return { accountId, subject: id, shown };
}
