import { withLink } from '../../rules/mails/letter.ts';
import { fault } from '../../kernel/faults.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';

/** `accountId` null: mails of all accounts. Links are hidden. [operator-interface §3] */
export async function listMails(
  deps: UseCaseDeps,
  accountId: string | null,
  page: PageRequest,
): Promise<Page<StoredMail>> {
  const found = await deps.stores.mails.list(accountId, page);
  const items = found.items.map((mail) => ({ ...mail, link: null, lines: withLink(mail.lines, hiddenLink) }));
  return { ...found, items };
}

const hiddenLink = '(the link stands in the mail alone)';

/** Makes the next attempt due at once. Throws 404 `not_found` if the mail was sent or never existed. */
export async function sendMailNow(deps: UseCaseDeps, mailId: string): Promise<void> {
  const { mails } = deps.stores;
  const mail = await mails.unsent(mailId);
  if (mail === null) throw fault('not_found', { what: 'Mail' });
  await mails.postpone(mailId, deps.clock.now());
  await audit(deps, 'mail.sent-now', null, { accountId: mail.accountId, subject: mailId, shown: null });
}
