/** Every write there is, by name. This module and what it imports run in the writing thread only. */
import type { StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { Database } from '../sqlite.ts';
import { accountOperations } from './accounts.ts';
import { channelHealthOperations } from './channel-health.ts';
import { channelOperations } from './channels.ts';
import { commitOperations } from './commit.ts';
import { idempotencyOperations } from './idempotency.ts';
import { mailOperations } from './mails.ts';
import { mediaOperations } from './media.ts';
import { parkedOperations } from './parked.ts';
import { peopleOperations } from './people.ts';
import { quarantineOperations } from './quarantine.ts';
import { reservationOperations } from './reservations.ts';
import { sendOperations } from './sends.ts';
import { setupSessionOperations } from './setup-sessions.ts';
import { templateOperations } from './templates.ts';
import { sweepOperations } from './sweep.ts';

export function operationsOn(db: Database) {
  const mails = mailOperations(db);
  return {
    ...accountOperations(db),
    ...peopleOperations(db),
    ...channelOperations(db),
    ...reservationOperations(db),
    ...setupSessionOperations(db),
    ...idempotencyOperations(db),
    ...commitOperations(db),
    ...parkedOperations(db),
    ...mediaOperations(db),
    ...quarantineOperations(db),
    ...channelHealthOperations(db),
    ...sendOperations(db),
    ...templateOperations(db),
    ...sweepOperations(db),
    addWholeMail: (mail: StoredMail): boolean => mails.addWhole(mail),
    postponeMail: (mailId: string, sendAfter: number): void => mails.postpone(mailId, sendAfter),
    dropMailLinks: (before: number) => mails.dropLinks(before),
    dropMailSlice: (before: number, butOfKind: string) => mails.dropSlice(before, butOfKind),
    markSent: (mailId: string, now: number): void => mails.markSent(mailId, now),
  };
}

export type Operations = ReturnType<typeof operationsOn>;
