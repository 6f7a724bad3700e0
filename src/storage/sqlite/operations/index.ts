/** All writes, by name. This module and its imports run in the writing thread only. */
import type { Database } from '../sqlite.ts';
import { channelOperations } from './channels.ts';
import { commitOperations } from './commit.ts';
import { itemOperations } from './items.ts';
import { mailOperations } from './mails.ts';
import { mediaOperations } from './media.ts';
import { reservationOperations } from './reservations.ts';
import { sendOperations } from './messages.ts';
import { sweepOperations } from './sweep.ts';
import type { Tables } from '../tables.ts';
import type { StoredMail } from '../../entities/mails.ts';

export function operationsOn(db: Database, tables: Tables) {
  const mails = mailOperations(db);
  return {
    ...itemOperations(db, tables),
    ...channelOperations(db),
    ...reservationOperations(db),
    ...commitOperations(db),
    ...mediaOperations(db),
    ...sendOperations(db),
    ...sweepOperations(db),
    addWholeMail: (mail: StoredMail): boolean => mails.addWhole(mail),
    dropMailSlice: (before: number, butOfKind: string) => mails.dropSlice(before, butOfKind),
  };
}

export type Operations = ReturnType<typeof operationsOn>;
