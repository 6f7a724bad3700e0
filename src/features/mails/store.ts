/** The outbox of mails for its senders and readers. */
import type { MailStore } from './port.ts';
import { readPage } from '../../storage/records.ts';
import type { Engine } from '../../storage/engine.ts';
import { mails as entity } from '../../storage/entities/mails.ts';
import { sweep } from '../../storage/sweep.ts';

const linksPerStep = 500;

export function mailStore({ recordsOf, mails: whole }: Pick<Engine, 'recordsOf' | 'mails'>): MailStore {
  const mails = recordsOf(entity);
  const ids = mails.only('id');
  return {
    add: (mail) => whole.add(mail),
    dropOlder: (...which) => whole.dropOlder(...which),
    list(accountId, page) {
      const which = accountId === null ? { by: 'byAge' } : { by: 'ofAccount', equal: { accountId } };
      return readPage(whole.reads, { ...which, isDescending: true }, page);
    },
    unsent: (id) => whole.reads.one({ id, sentAt: null }),
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
