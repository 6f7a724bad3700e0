/** The outbox of mails: written with their cause, sent by a job. */
import type { PageRequest, Page } from '../../kernel/paging.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';

export interface MailStore {
  list(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  /** Adds a complete mail. False, and nothing changes, if its id is taken. */
  add(mail: StoredMail): Promise<boolean>;
  /** Ids of unsent mails that are due, longest due first. */
  due(now: number, limit: number): Promise<string[]>;
  /** null if sent or never stored. */
  unsent(mailId: string): Promise<StoredMail | null>;
  /** Delays an unsent mail until `sendAfter`. */
  postpone(mailId: string, sendAfter: number): Promise<void>;
  /** Also erases the link. */
  markSent(mailId: string, now: number): Promise<void>;
  /** Like `markSent`, for a mail that is not tried again. `why`: the outcome of the last try. */
  giveUp(mailId: string, now: number, why: string): Promise<void>;
  /** Erases the links of mails created before this. Returns their number. */
  dropLinks(before: number, stopping?: AbortSignal): Promise<number>;
  /** Erases mails created before this, sent or not, except one kind. Returns their number. */
  dropOlder(before: number, butOfKind: string, stopping?: AbortSignal): Promise<number>;
}
