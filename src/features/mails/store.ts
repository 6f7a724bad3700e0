/** The outbox of mails for its senders and readers. */
import { readPage } from '../../storage/records.ts';
import type { Engine } from '../../storage/engine.ts';
import { mails as entity } from '../../storage/entities/mails.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';
import { sweep } from '../../storage/sweep.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';

const linksPerStep = 500;

export function mailStore({ recordsOf, mails: whole }: Pick<Engine, 'recordsOf' | 'mails'>) {
  const mails = recordsOf(entity);
  const ids = mails.only('id');
  return {
    /** Adds a complete mail. False, and nothing changes, if its id is taken. */
    add: (mail: StoredMail): Promise<boolean> => whole.add(mail),
    /** Erases mails created before this, sent or not, except one kind. Returns their number. */
    dropOlder: (before: number, butOfKind: string, stopping?: AbortSignal): Promise<number> =>
      whole.dropOlder(before, butOfKind, stopping),
    list(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>> {
      const which = accountId === null ? { by: 'byAge' } : { by: 'ofAccount', equal: { accountId } };
      return readPage(whole.reads, { ...which, isDescending: true }, page);
    },
    /** null if sent or never stored. */
    unsent: (id: string): Promise<StoredMail | null> => whole.reads.one({ id, sentAt: null }),
    /** Ids of unsent mails that are due, longest due first. */
    async due(now: number, limit: number): Promise<string[]> {
      const found = await ids.list({ by: 'unsent', range: { on: 'sendAfter', upTo: now }, limit });
      return found.map(({ id }) => id);
    },
    /** Gives an unsent mail its one recipient. */
    addressTo: (id: string, recipient: string): Promise<void> =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { recipient } } }]),
    /** Delays an unsent mail until `sendAfter`. */
    postpone: (id: string, sendAfter: number): Promise<void> =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sendAfter } } }]),
    /** Also erases the link. */
    markSent: (id: string, sentAt: number): Promise<void> =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sentAt, link: null } } }]),
    /** Like `markSent`, for a mail that is not tried again. `why`: the outcome of the last try. */
    giveUp: (id: string, sentAt: number, givenUp: string): Promise<void> =>
      mails.patchEach([{ which: { id, sentAt: null }, change: { set: { sentAt, givenUp, link: null } } }]),
    /** Erases the links of mails created before this. Returns their number. */
    async dropLinks(before: number, stopping?: AbortSignal): Promise<number> {
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

export type MailStore = ReturnType<typeof mailStore>;
