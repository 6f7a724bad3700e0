import { htmlOf } from './html.ts';
import type { StoredMail } from '../../use-cases/ports/operating.ts';

/** What became of one mail: `refused` by the server for good or for now, `unreachable` when nobody answered in time. */
export type SmtpResult = 'sent' | 'refused' | 'unreachable';

export interface Smtp {
  send(mail: StoredMail, to: string): Promise<SmtpResult>;
  close(): void;
}

const defaultFrom = 'trunkline@localhost';

/** One connection for a turn's mails. Loads nodemailer, hence only when there is something to send. */
export async function openSmtp(url: string, from: string | null): Promise<Smtp> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail, to) {
      try {
        await transport.sendMail({
          from: from ?? defaultFrom,
          // As an object: a comma in the account's address must not make two receivers of it.
          to: { name: '', address: to },
          subject: mail.subject,
          text: mail.lines.join('\n'),
          html: htmlOf(mail.lines),
          // The same on every try, so that a second copy can be recognised.
          messageId: `<${mail.id}@trunkline>`,
        });
        return 'sent';
      } catch (error) {
        return hasResponseCode(error) ? 'refused' : 'unreachable';
      }
    },
    close: () => transport.close(),
  };
}

/** The server has spoken; its words may quote the mail and are not kept. */
function hasResponseCode(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number';
}
