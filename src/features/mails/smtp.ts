import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { writeHtml } from './mail-page.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';

/** Outcome of one mail: `refused` for good (5xx), `deferred` (4xx, for example greylisted), or `unreachable` (no answer in time). */
export type SmtpResult = 'sent' | 'refused' | 'deferred' | 'unreachable';

/** `why` is for our log. Of an SMTP answer it holds the code alone, because the server's text may quote the mail. */
export interface SmtpOutcome<Result = SmtpResult> {
  result: Result;
  why?: string;
}

const defaultFrom = 'trunkline@localhost';
/** Keeps programs that answer for somebody on holiday from answering. [RFC 3834 §5; Exchange knows only the second] */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
/** The connection stays open this long for the next mail. */
const idleMs = 5_000;

/** One connection to the mail server: opened by the first mail, closed after `idleMs` without a mail. */
export class SmtpConnection {
  readonly #url: string;
  readonly #from: Mailbox;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #baseUrl: string;
  #transport: ReturnType<typeof open> | null = null;
  #cancelClose: () => void = () => undefined;

  constructor(
    url: string,
    {
      from,
      baseUrl,
      timeoutMs,
      clock,
    }: { from: string | null; baseUrl: string; timeoutMs: number; clock: Clock },
  ) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#baseUrl = baseUrl;
    this.#from = parseMailbox(from ?? defaultFrom);
    this.#clock = clock;
  }

  async send(mail: StoredMail, to: string): Promise<SmtpOutcome> {
    this.#cancelClose();
    const transport = await (this.#transport ??= open(this.#url, this.#timeoutMs));
    try {
      await transport.sendMail({
        from: this.#from,
        // An object, because nodemailer parses a string as a list of addresses.
        to: { name: '', address: to },
        subject: mail.subject,
        text: mail.lines.join('\n'),
        html: writeHtml(mail, this.#baseUrl),
        // The same for every try, so that mail programs recognise a second copy.
        messageId: `<${mail.id}@${domainOf(this.#from)}>`,
        headers: automatic,
      });
      this.#closeLater();
      return { result: 'sent' };
    } catch (error) {
      const code = readResponseCode(error);
      const why = describeReason(error);
      if (code === null) {
        this.close();
        return { result: 'unreachable', why };
      }
      this.#closeLater();
      return { result: code >= 500 ? 'refused' : 'deferred', why };
    }
  }

  close(): void {
    this.#cancelClose();
    this.#transport?.then(
      (transport) => transport.close(),
      () => undefined, // never opened, which `send` reports
    );
    this.#transport = null;
  }

  #closeLater(): void {
    this.#cancelClose = this.#clock.after(idleMs, () => this.close());
  }
}

interface Mailbox {
  name: string;
  address: string;
}

/** Parses `MAIL_FROM`: an address, or a name, perhaps in quotation marks, followed by the address in angle brackets. */
function parseMailbox(text: string): Mailbox {
  const [, written = '', address = text] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? [];
  const name = written.trim();
  const [, quoted] = /^"(.*)"$/.exec(name) ?? [];
  return { name: quoted?.replaceAll(/\\(.)/g, '$1') ?? name, address: address.trim() };
}

/** Filters of spam suspect an id whose domain does not exist. */
function domainOf({ address }: Mailbox): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Loads nodemailer lazily, with the first mail. */
async function open(url: string, timeoutMs: number) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: 1,
    connectionTimeout: timeoutMs / 2,
    greetingTimeout: timeoutMs / 2,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs / 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Returns null if the server sent no answer, or 421 (closing the connection). */
function readResponseCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('responseCode' in error)) return null;
  const { responseCode } = error;
  return typeof responseCode === 'number' && responseCode !== 421 ? responseCode : null;
}

function describeReason(error: unknown): string {
  const thrown: Error & { response?: unknown; responseCode?: unknown } = asError(error);
  const { message, response, responseCode = 'without a number' } = thrown;
  return response === undefined ? message : `answer ${String(responseCode)}`;
}
