/** The outbox of mails for its senders and readers. */
import type { MailStore, StoredMail } from './port.ts';
import type { MailHead } from '../../storage/entities/mails.ts';
import { readPage } from '../../storage/records.ts';
import type { Reads, RecordsOf } from '../../storage/records.ts';
import { sweep } from '../../storage/sweep.ts';

/**
 * Mails with their lines. Each engine implements them, because a channel's commit adds single lines: a file has a row per line, a document
 * a list with tokens that identify a repeated line.
 */
export interface WholeMails extends Pick<MailStore, 'add' | 'dropOlder'> {
  readonly reads: Reads<MailHead, StoredMail>;
}

const linksPerStep = 500;

export function mailStore(recordsOf: RecordsOf, { reads: whole, add, dropOlder }: WholeMails): MailStore {
  const mails = recordsOf('mails');
  const ids = mails.only('id');
  return {
    add,
    dropOlder,
    list(accountId, page) {
      const which = accountId === null ? { by: 'byAge' } : { by: 'ofAccount', equal: { accountId } };
      return readPage(whole, { ...which, isDescending: true }, page);
    },
    unsent: (id) => whole.one({ id, sentAt: null }),
    async due(now, limit) {
      const found = await ids.list({ by: 'unsent', range: { on: 'sendAfter', upTo: now }, limit });
      return found.map(({ id }) => id);
    },
    postpone: (id, sendAfter) =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sendAfter } } }]),
    markSent: (id, sentAt) =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sentAt, link: null } } }]),
    giveUp: (id, sentAt, givenUp) =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sentAt, givenUp, link: null } } }]),
    async dropLinks(before, stopping) {
      const old = { by: 'withLink', range: { on: 'createdAt', below: before }, limit: linksPerStep } as const;
      return sweep(async () => {
        const found = await ids.list(old);
        if (found.length > 0)
          await mails.patchEach(found.map(({ id }) => ({ which: { id }, change: { set: { link: null } } })));
        return { dropped: found.length, isLast: found.length < linksPerStep };
      }, stopping);
    },
  };
}
