import { sealContext } from '../../kernel/sealed.ts';
import type { Letter } from '../../rules/mails/letter.ts';
import { logMail } from '../../rules/mails/log-line.ts';
import { newId } from '../../kernel/ids.ts';
import type { World } from '../world.ts';

interface Outgoing extends Letter {
  accountId: string;
  kind: string;
  /** Derived from the mail's subject matter, so that the mail is written once; default: a new id. */
  id?: string;
  /** URL that replaces `linkPlace` in the mail; stored sealed. */
  link?: string;
  /** Default: the account's address. */
  recipient?: string;
}

/** Adds a mail to the outbox, due at once. False if its id is there already. [architecture §6.8; operator-interface §2 SMTP_URL] */
export async function writeMail(
  { stores, sealer, clock, log }: Pick<World, 'stores' | 'sealer' | 'clock' | 'log'>,
  { id = newId(), link, recipient, ...mail }: Outgoing,
): Promise<boolean> {
  const now = clock.now();
  const sealed = link === undefined ? null : sealer.sealText(link, sealContext.mailLink(mail.accountId, id));
  const to = { recipient: recipient ?? null };
  const isNew = await stores.mails.add({
    id,
    ...mail,
    ...to,
    link: sealed,
    sendAfter: now,
    gathersUntil: 0,
    sentAt: null,
    givenUp: null,
    createdAt: now,
  });
  if (isNew) logMail(log, { id, ...mail });
  return isNew;
}
