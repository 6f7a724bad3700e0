/**
 * Mails with their lines. Each engine implements them, because a channel's commit adds single lines: a file has a row per line, a document
 * a list with tokens that identify a repeated line.
 */
import type { MailHead, StoredMail } from './entities/mails.ts';
import type { Reads } from './records.ts';

export interface WholeMails {
  readonly reads: Reads<MailHead, StoredMail>;
  /** Adds a complete mail. False, and nothing changes, if its id is taken. */
  add(mail: StoredMail): Promise<boolean>;
  /** Erases mails created before this, sent or not, except one kind. Returns their number. */
  dropOlder(before: number, butOfKind: string, stopping?: AbortSignal): Promise<number>;
}
