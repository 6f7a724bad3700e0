/** Who gets a mail of an account: the people who chose its topic. [faults: 394] */
import { addressIn } from '../../rules/email.ts';
import { topicOf, topicsOf } from '../../rules/mails/topics.ts';
import { hasJoined } from '../../rules/person.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';
import type { Stores } from '../stores.ts';

export interface RecipientStores {
  accounts: Pick<Stores['accounts'], 'byId'>;
  people: Pick<Stores['people'], 'ofAccount'>;
  mails: Pick<Stores['mails'], 'add' | 'addressTo'>;
}

/**
 * The address of this mail. Of a mail for several people each of the others gets a copy, whose id follows from the mail's, so that a repeated
 * call adds none; from then on each has its own tries. `unwanted`: nobody chose its topic, or its recipient does no longer.
 */
export async function addressMail(
  { mails, ...stores }: RecipientStores,
  mail: StoredMail,
  now: number,
): Promise<{ to: string } | 'no_account' | 'unwanted'> {
  const account = await stores.accounts.byId(mail.accountId);
  if (account === null) return 'no_account';
  const topic = topicOf(mail);
  if (topic === null) return { to: mail.recipient ?? addressIn(account.email) };
  const people = (await stores.people.ofAccount(account.id)).filter(hasJoined);
  const wanting = people.filter((person) => topicsOf(person, account).includes(topic));
  // The address that an operator gave the account may be nobody's.
  const isSomebodys = people.some(({ email }) => email === account.email);
  const all = [...(isSomebodys ? [] : [account]), ...wanting].map(({ id, email }) => ({
    id,
    to: addressIn(email),
  }));
  // It waited for another try: its person may have left the account since, or chosen otherwise.
  if (mail.recipient !== null) return all.find(({ to }) => to === mail.recipient) ?? 'unwanted';
  const [first, ...others] = all;
  if (first === undefined) return 'unwanted';
  for (const { id, to } of others)
    await mails.add({ ...mail, id: idFrom('mail-copy', mail.id, id), recipient: to, sendAfter: now });
  if (others.length > 0) await mails.addressTo(mail.id, first.to);
  return first;
}
