import type { Log } from '../../kernel/log.ts';

interface LoggedMail {
  id: string;
  accountId: string;
  kind: string;
  subject: string;
}

/** Shows a stored mail in the log, without its lines, because some name people. [operator-interface §2 SMTP_URL, LOG_LEVEL] */
export function logMail(
  log: Pick<Log, 'info'>,
  { id: mail, accountId: account, kind, subject }: LoggedMail,
): void {
  log.info({ mail, account, kind, subject }, 'mail.stored');
}
