import type { StoredMail } from '../../storage/entities/mails.ts';
import { withLink } from '../../rules/mails/letter.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { World } from '../world.ts';

/** `accountId` null: mails of all accounts. Links are hidden. [operator-interface §3] */
export async function listMails(
  world: World,
  accountId: string | null,
  page: PageRequest,
): Promise<Page<StoredMail>> {
  const found = await world.stores.mails.list(accountId, page);
  const items = found.items.map((mail) => ({ ...mail, link: null, lines: withLink(mail.lines, hiddenLink) }));
  return { ...found, items };
}

const hiddenLink = '(the link stands in the mail alone)';
