import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Its next try is due at once. Throws 404 `not_found` for one that was sent or was never written. */
export async function sendMailNow({ stores, clock }: UseCaseDeps, mailId: string): Promise<void> {
  if ((await stores.mails.unsent(mailId)) === null) throw fault('not_found', { what: 'Mail' });
  await stores.mails.postpone(mailId, clock.now());
}
