import { sealContext } from '../domain/accounts/sealed.ts';
import type { Letter } from '../domain/mails/letter.ts';
import { newId } from '../kernel/ids.ts';
import type { UseCaseDeps } from './deps.ts';

interface Outgoing extends Letter {
  accountId: string;
  kind: string;
  /** Made of what it is about: the same mail is written once. Left out: every time. */
  id?: string;
  /** Stands in the mail at `linkPlace`, and nowhere else in the clear. */
  link?: string;
  /** Left out: the account's address. */
  recipient?: string;
}

/** Puts a mail into the outbox, to go now. False: it is there already. [architecture §6.8] */
export function writeMail(
  { stores, sealer, clock }: Pick<UseCaseDeps, 'stores' | 'sealer' | 'clock'>,
  { id = newId(), link, recipient, ...mail }: Outgoing,
): Promise<boolean> {
  const now = clock.now();
  const sealed = link === undefined ? null : sealer.sealText(link, sealContext.mailLink(mail.accountId, id));
  const to = { recipient: recipient ?? null };
  return stores.mails.add({ id, ...mail, ...to, link: sealed, sendAfter: now, sentAt: null, createdAt: now });
}
