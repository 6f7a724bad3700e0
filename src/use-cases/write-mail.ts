import type { Letter } from '../domain/mails/letter.ts';
import { newId } from '../kernel/ids.ts';
import type { UseCaseDeps } from './deps.ts';

interface Outgoing extends Letter {
  accountId: string;
  kind: string;
  /** Made of what it is about: the same mail is written once. Left out: every time. */
  id?: string;
}

/** Puts a mail into the outbox, to go now. False: it is there already. [architecture §6.8] */
export function writeMail({ stores, clock }: UseCaseDeps, mail: Outgoing): Promise<boolean> {
  const now = clock.now();
  return stores.mails.add({ id: newId(), ...mail, sendAfter: now, sentAt: null, createdAt: now });
}
