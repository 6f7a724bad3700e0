import { isEmail } from '../../rules/email.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { Sealer } from '../../kernel/sealed.ts';
import { linkPlace, withLink } from '../../rules/mails/letter.ts';
import { dayMs, minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import type { Log } from '../../kernel/log.ts';
import type { Counters } from '../../kernel/metrics.ts';
import { SmtpConnection } from './smtp.ts';
import type { SmtpOutcome, SmtpResult } from './smtp.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';
import type { MailStore } from './store.ts';
import { addressMail } from './recipients.ts';
import type { RecipientStores } from './recipients.ts';

interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`; null: mails stay in the outbox. [operator-interface §2 SMTP_URL] */
  smtpUrl: string | null;
  /** Only its addresses are links in a mail. */
  baseUrl: string;
  /** Sender address; null: `trunkline@localhost`. */
  from: string | null;
  mails: Pick<MailStore, 'due' | 'unsent' | 'postpone' | 'markSent' | 'giveUp'> & RecipientStores['mails'];
  accounts: RecipientStores['accounts'];
  people: RecipientStores['people'];
  /** A mail server that is silent this long counts as unreachable. */
  timeoutMs?: number;
  /** Opens the sealed links of mails. */
  sealer: Pick<Sealer, 'openText'>;
  counters: Counters;
  clock: Clock;
  log: Log;
}

/** The outbox in the store is the source of truth; a job only names the mail to send. `due` and `send` throw StoreUnavailable. */
export interface Mailer {
  /** Ids of the mails that are due, at most 100. */
  due(): Promise<string[]>;
  /** Offers the mail to the mail server, unless it was sent already, and records the outcome. */
  send(mailId: string): Promise<void>;
  /** Sends nothing more; unsent mails stay in the outbox. */
  stop(): void;
}

const maxPerLook = 100;

const defaultTimeoutMs = 20_000;

/** Pause before a mail is offered again; greylisting asks for five minutes. While a server is unreachable no mail is offered to it. */
const pausesMs = { refused: 15 * minuteMs, deferred: 5 * minuteMs } as const;
const unreachablePauseMs = minuteMs;

/**
 * A mail that was not accepted for this long is given up; mail servers themselves retry for 4 to 5 days. It runs from the first try that this
 * node has made: a mail may have waited longer than that for a digest's end, or while the service was off. [faults: 454]
 */
const maxTryMs = 3 * dayMs;
/** Mails that were not accepted of which the first try is known. */
const maxTried = 10_000;

/**
 * Sends the outbox. A crash between the server's acceptance and the record of it costs a second copy with the same Message-ID. Without SMTP
 * no mail is marked as sent, and `GET /admin/v1/mails` shows the mails. [architecture §6.8]
 */
export function makeMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === null ? unsentMails : new SentMails(options, options.smtpUrl);
}

/** Without a mail server nothing is due, so that no job polls for mails that cannot be sent. */
const unsentMails: Mailer = {
  due: async () => [],
  send: async () => undefined,
  stop: () => undefined,
};

class SentMails implements Mailer {
  readonly #options: MailerOptions;
  readonly #smtp: SmtpConnection;
  /** Until then no mail is offered (ms): otherwise an unreachable server would cost one timeout per mail. Each node keeps its own. */
  #resumeAt = 0;
  /** When this node first offered a mail that was not accepted (ms). */
  readonly #triedSince = lruCache<number>(maxTried);
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
    const addressed = await addressMail(this.#options, mail, this.#options.clock.now());
    if (typeof addressed === 'string') return { result: addressed };
    // Older versions accepted addresses that a mail server reads as a different address. [faults: 131]
    if (!isEmail(addressed.to)) return { result: 'no_address' };
    const lines = this.#fillLines(mail);
    if (lines === null) return { result: 'no_link' };
    const outcome = await this.#smtp.send({ ...mail, lines }, addressed.to);
    if (outcome.result === 'unreachable') this.#resumeAt = this.#options.clock.now() + unreachablePauseMs;
    return outcome;
  }

  /** Returns null if the mail's link has expired and was erased, or was sealed under a key that is not configured. */
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

  /** The time of the next try is stored with the mail, so that every node knows it and a restart does not lose it. */
  async #note(mail: StoredMail, { result, why }: SmtpOutcome<Result>): Promise<void> {
    const { mails, counters, clock, log } = this.#options;
    const { id: mailId, kind } = mail;
    counters.increment('mails_total', { kind, outcome: result });
    const now = clock.now();
    const triedSince = this.#triedSince.get(mailId) ?? now;
    const isLate = now - triedSince > maxTryMs;
    this.#triedSince.set(mailId, triedSince);
    if (result === 'sent') log.info({ mail: mailId, kind }, 'mail.sent');
    else if (result === 'unwanted') log.info({ mail: mailId, kind }, 'mail.unwanted');
    else log.warn({ mail: mailId, kind, result, why, givenUp: isLate }, 'mail.not-sent');
    if (result === 'sent') await mails.markSent(mailId, now);
    else if (isUndeliverable(result) || isLate) await mails.giveUp(mailId, now, result);
    else return mails.postpone(mailId, result === 'unreachable' ? this.#resumeAt : now + pausesMs[result]);
    this.#triedSince.delete(mailId);
  }
}

/** What another try cannot mend. */
const undeliverable = ['no_account', 'no_address', 'no_link', 'unwanted'] as const;
type Undeliverable = (typeof undeliverable)[number];
type Result = SmtpResult | Undeliverable;

function isUndeliverable(result: Result): result is Undeliverable {
  return undeliverable.some((each) => each === result);
}
