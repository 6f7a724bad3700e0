import type { StoredMail } from '../../storage/entities/mails.ts';
import type { Actor } from '../../rules/caller.ts';
import { gatherFor, withLink, writeMoment } from '../../rules/mails/letter.ts';
import { fault } from '../../kernel/faults.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { audit } from '../audit/index.ts';
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

/**
 * Until then (ms) lines are added to a mail of several events: had it left, nobody would read those. 0: the mail is whole from the start.
 * [operator-interface §2 DIGEST_INTERVAL_MS]
 */
export function gathersUntil(
  { settings }: Pick<World, 'settings'>,
  { id, kind, createdAt }: Pick<StoredMail, 'id' | 'kind' | 'createdAt'>,
): number {
  if (kind === 'delivery-digest') return gatherFor(settings.digestIntervalMs, createdAt).sendAfter;
  return Number(/^webhook-alert:.*:(\d+)$/.exec(id)?.[1] ?? 0);
}

/**
 * Makes the next attempt due at once. Throws 404 `not_found` if the mail was sent or never existed, 409 `conflict` while lines are added
 * to it.
 */
export async function sendMailNow(world: World, by: Actor | undefined, mailId: string): Promise<void> {
  const { mails } = world.stores;
  const mail = await mails.unsent(mailId);
  if (mail === null) throw fault('not_found', { what: 'Mail' });
  const wholeAt = gathersUntil(world, mail);
  if (wholeAt > world.clock.now())
    throw fault('conflict', {
      why: `Lines are added to this mail until ${writeMoment(wholeAt)}: it is sent then`,
    });
  await mails.postpone(mailId, world.clock.now());
  await audit(world, by, 'mail.sent-now', null, { accountId: mail.accountId, subject: mailId, shown: null });
}
