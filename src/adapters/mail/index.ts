import { addressIn, isEmail } from '../../domain/accounts/email.ts';
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import { linkPlace, withLink } from '../../domain/mails/letter.ts';
import { asError } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Counters } from '../../kernel/metrics.ts';
import type { AccountStore } from '../../use-cases/ports/accounts.ts';
import type { MailStore, StoredMail } from '../../use-cases/ports/operating.ts';
import { SmtpConnection } from './smtp.ts';
import type { SmtpOutcome, SmtpResult } from './smtp.ts';

interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`; null: mails stay in the outbox. [operator-interface §2 SMTP_URL] */
  smtpUrl: string | null;
  /** Sender address; null: `trunkline@localhost`. */
  from: string | null;
  mails: Pick<MailStore, 'due' | 'unsent' | 'postpone' | 'markSent'>;
  /** Mails that name no recipient go to the account's address as it is now. */
  accounts: Pick<AccountStore, 'byId'>;
  /** A server that says nothing for so long is left. */
  timeoutMs?: number;
  /** Opens the links of mails. */
  sealer: Pick<Sealer, 'openText'>;
  counters: Counters;
  clock: Clock;
  log: Log;
}

/** The outbox in the store is the truth; a job only says which mail to look at. Both throw StoreUnavailable. */
export interface Mailer {
  /** Ids of mails to send now, at most 100. */
  due(): Promise<string[]>;
  /** Offers it to the mail server unless it is sent; notes what became of it. */
  send(mailId: string): Promise<void>;
  /** Sends nothing more: what is left stays in the outbox. */
  stop(): void;
}

const maxPerLook = 100;

const defaultTimeoutMs = 20_000;

/** Not offered again before this; a greylist wants five minutes. A server that did not answer is left alone. */
const pausesMs = { refused: 15 * 60_000, deferred: 5 * 60_000 } as const;
const unreachablePauseMs = 60_000;

/** A mail that no server wanted for so long is given up; mail servers themselves try 4 to 5 days. */
const maxTryMs = 3 * 24 * 60 * 60_000;

/**
 * Empties the outbox. A crash between the server's "taken" and our note of it costs a second copy under the same
 * Message-ID. Without SMTP nothing is marked sent: `GET /admin/v1/mails` shows the mails. [architecture §6.8]
 */
export function makeMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === null ? unsentMails : new SentMails(options, options.smtpUrl);
}

/** Without a server nothing is due: to look again and again at what nobody will send costs, and tells nobody. */
const unsentMails: Mailer = {
  due: async () => [],
  send: async () => undefined,
  stop: () => undefined,
};

class SentMails implements Mailer {
  readonly #options: MailerOptions;
  readonly #smtp: SmtpConnection;
  /** One dead server would cost its time-out once per mail. Each node finds out for itself. */
  #resumeAt = 0;
  #isStopped = false;

  constructor(options: MailerOptions, smtpUrl: string) {
    this.#options = options;
    this.#smtp = new SmtpConnection(smtpUrl, { timeoutMs: defaultTimeoutMs, ...options });
  }

  async due(): Promise<string[]> {
    const { mails, clock } = this.#options;
    return mails.due(clock.now(), maxPerLook);
  }

  async send(mailId: string): Promise<void> {
    if (this.#isStopped) return;
    const { mails, clock } = this.#options;
    const mail = await mails.unsent(mailId);
    if (mail === null) return;
    if (clock.now() < this.#resumeAt) return mails.postpone(mailId, this.#resumeAt);
    await this.#note(mail, await this.#offer(mail));
  }

  stop(): void {
    this.#isStopped = true;
    this.#smtp.close();
  }

  async #offer(mail: StoredMail): Promise<SmtpOutcome<Result>> {
    const account = await this.#options.accounts.byId(mail.accountId);
    if (account === null) return { result: 'no_account' };
    const address = mail.recipient ?? addressIn(account.email);
    // A version before this one took what a mail server reads as another address. [faults: 131]
    if (!isEmail(address)) return { result: 'no_address' };
    const lines = this.#fillLines(mail);
    if (lines === null) return { result: 'no_link' };
    const outcome = await this.#smtp.send({ ...mail, lines }, address);
    if (outcome.result === 'unreachable') this.#resumeAt = this.#options.clock.now() + unreachablePauseMs;
    return outcome;
  }

  /** null: its link was erased because its time is over, or stands under a key that is gone. */
  #fillLines({ id, accountId, lines, link }: StoredMail): string[] | null {
    if (!lines.includes(linkPlace)) return lines;
    if (link === null) return null;
    try {
      return withLink(lines, this.#options.sealer.openText(link, sealContext.mailLink(accountId, id)));
    } catch (error) {
      this.#options.log.warn({ mail: id, error: asError(error) }, 'mail.link-unreadable');
      return null;
    }
  }

  /** What waits for its next try waits in the store: every node knows, and a restart forgets nothing. */
  async #note(mail: StoredMail, { result, why }: SmtpOutcome<Result>): Promise<void> {
    const { mails, counters, clock, log } = this.#options;
    const { id: mailId, kind } = mail;
    counters.increment('mails_total', { kind, outcome: result });
    const now = clock.now();
    const isLate = now - mail.createdAt > maxTryMs;
    if (result === 'sent') log.info({ mail: mailId, kind }, 'mail.sent');
    else log.warn({ mail: mailId, kind, result, why, givenUp: isLate }, 'mail.not-sent');
    if (isLast(result) || isLate) await mails.markSent(mailId, now);
    else await mails.postpone(mailId, result === 'unreachable' ? this.#resumeAt : now + pausesMs[result]);
  }
}

/** Another try would not reach the recipient either. */
const undeliverable = ['no_account', 'no_address', 'no_link'] as const;
type Undeliverable = (typeof undeliverable)[number];
type Result = SmtpResult | Undeliverable;

function isLast(result: Result): result is 'sent' | Undeliverable {
  return result === 'sent' || undeliverable.some((each) => each === result);
}
