import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { AccountStore } from '../../use-cases/ports/accounts.ts';
import type { MailStore, StoredMail } from '../../use-cases/ports/operating.ts';
import { asError } from '../../kernel/faults.ts';
import { openSmtp } from './smtp.ts';
import type { Smtp, SmtpResult } from './smtp.ts';

export interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`; null: mails stay in the outbox. [operator-interface §2 SMTP_URL] */
  smtpUrl: string | null;
  /** Sender address; null: `trunkline@localhost`. */
  from: string | null;
  mails: Pick<MailStore, 'due' | 'markSent'>;
  /** Mails go to the account's address as it is now. */
  accounts: Pick<AccountStore, 'byId'>;
  clock: Clock;
  log: Log;
}

export interface Mailer {
  /** Sends what is due, at most 100 mails a turn, and answers how many the mail server took. Never throws. */
  sendDue(): Promise<number>;
}

const maxPerTurn = 100;

/** A refused mail is not offered again before this, and a server that did not answer is not tried. */
const refusedPauseMs = 15 * 60_000;
const unreachablePauseMs = 60_000;

/** A mail that no server wanted for so long is given up; mail servers themselves try 4 to 5 days. */
const maxTryMs = 3 * 24 * 60 * 60_000;

/**
 * Empties the outbox. A crash between the server's "taken" and our note of it costs a second copy under the same
 * Message-ID. Without SMTP nothing is marked sent: `GET /admin/v1/mails` shows the mails and the log names them once.
 * [architecture §6.8]
 */
export function makeMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === null ? new ShownMails(options) : new SentMails(options, options.smtpUrl);
}

class ShownMails implements Mailer {
  readonly #options: MailerOptions;
  #shown: ReadonlySet<string> = new Set();

  constructor(options: MailerOptions) {
    this.#options = options;
  }

  async sendDue(): Promise<number> {
    const { mails, clock, log } = this.#options;
    try {
      const due = await mails.due(clock.now(), maxPerTurn);
      const news = due.filter((mail) => !this.#shown.has(mail.id));
      this.#shown = new Set(due.map((mail) => mail.id));
      if (news.length > 0) log.info({ mailIds: news.map((mail) => mail.id) }, 'mail.stored');
    } catch (error) {
      log.warn({ error: asError(error) }, 'mail.store-failed');
    }
    return 0;
  }
}

class SentMails implements Mailer {
  readonly #options: MailerOptions;
  readonly #smtpUrl: string;
  #turn: Promise<number> | null = null;
  /** Refused mails and when they may be offered again. In memory: a restart costs one more offer each. */
  readonly #paused = new Map<string, number>();
  #resumeAt = 0;

  constructor(options: MailerOptions, smtpUrl: string) {
    this.#options = options;
    this.#smtpUrl = smtpUrl;
  }

  /** A turn that is still running is not overlapped: the same mails would go out twice. */
  sendDue(): Promise<number> {
    this.#turn ??= this.#sendAll().finally(() => {
      this.#turn = null;
    });
    return this.#turn;
  }

  async #sendAll(): Promise<number> {
    const { log, clock } = this.#options;
    if (clock.now() < this.#resumeAt) return 0;
    let smtp: Smtp | null = null;
    try {
      const due = await this.#due();
      if (due.length === 0) return 0;
      smtp = await openSmtp(this.#smtpUrl, this.#options.from);
      return await this.#sendEach(due, smtp);
    } catch (error) {
      log.warn({ error: asError(error) }, 'mail.turn-failed');
      return 0;
    } finally {
      smtp?.close();
    }
  }

  /** As many more as are paused, so that refused mails do not hold up the others. */
  async #due(): Promise<StoredMail[]> {
    const now = this.#options.clock.now();
    const due = await this.#options.mails.due(now, maxPerTurn + this.#paused.size);
    return due.filter((mail) => now >= (this.#paused.get(mail.id) ?? 0));
  }

  async #sendEach(due: readonly StoredMail[], smtp: Smtp): Promise<number> {
    let sent = 0;
    for (const mail of due) {
      const result = await this.#sendOne(mail, smtp);
      if (result === 'sent') sent += 1;
      if (result !== 'unreachable') continue;
      // One dead server would cost its time-out once per mail.
      this.#resumeAt = this.#options.clock.now() + unreachablePauseMs;
      break;
    }
    return sent;
  }

  async #sendOne(mail: StoredMail, smtp: Smtp): Promise<Result> {
    const { accounts, log } = this.#options;
    const account = await accounts.byId(mail.accountId);
    const result = account === null ? 'no_account' : await smtp.send(mail, account.email);
    const isLate = this.#options.clock.now() - mail.createdAt > maxTryMs;
    if (result === 'sent') log.info({ mailId: mail.id, kind: mail.kind }, 'mail.sent');
    else log.warn({ mailId: mail.id, kind: mail.kind, result, givenUp: isLate }, 'mail.not-sent');
    await this.#note(mail, result, result === 'sent' || result === 'no_account' || isLate);
    return result;
  }

  async #note(mail: StoredMail, result: Result, isDone: boolean): Promise<void> {
    const { mails, clock } = this.#options;
    this.#paused.delete(mail.id);
    if (isDone) await mails.markSent(mail.id, clock.now());
    else if (result === 'refused') this.#paused.set(mail.id, clock.now() + refusedPauseMs);
  }
}

type Result = SmtpResult | 'no_account';
