import type { Actor } from '../../rules/caller.ts';
import { writeMoment } from '../../rules/mails/letter.ts';
import { fault } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';

/**
 * Makes the next attempt due at once. Throws 404 `not_found` if the mail was sent or never existed, 409 `conflict` while lines are added
 * to it. [operator-interface §2 DIGEST_INTERVAL_MS]
 */
export async function sendMailNow(world: World, by: Actor | undefined, mailId: string): Promise<void> {
  const { mails } = world.stores;
  const mail = await mails.unsent(mailId);
  if (mail === null) throw fault('not_found', { what: 'Mail' });
  const { gathersUntil } = mail;
  if (gathersUntil > world.clock.now())
    throw fault('conflict', {
      why: `Lines are added to this mail until ${writeMoment(gathersUntil)}: it is sent then`,
    });
  await mails.postpone(mailId, world.clock.now());
  await audit(world, by, 'mail.sent-now', null, { accountId: mail.accountId, subject: mailId, shown: null });
}
