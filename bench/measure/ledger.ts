/**
 * Records every send, every POST of upstream and every event that reached the client, by key; at the end no event may be missing and none
 * may have arrived twice. [performance §3, 11]
 */

export interface Account {
  sends: { asked: number; accepted: number; refused: number; unanswered: number };
  /** Calls that reached upstream: for accepted sends, for other sends, and repeated calls for the same message. */
  upstream: { accepted: number; unanswered: number; missing: number; twice: number };
  posts: { offered: number; taken: number; refused: number };
  events: { expected: number; delivered: number; lost: number; twice: number; unasked: number };
}

type Ended = 'accepted' | 'refused' | 'unanswered';

export const eventKey = (event: string, id: string): string => `${event} ${id}`;

export class Ledger {
  readonly #accepted = new Set<string>();
  readonly #expected = new Set<string>();
  readonly #offered = new Set<string>();
  readonly #arrived = new Map<string, number>();
  #sends = { asked: 0, accepted: 0, refused: 0, unanswered: 0 };
  #posts = { offered: 0, taken: 0, refused: 0 };

  asked(): void {
    this.#sends.asked += 1;
  }

  /** `messageId`: of an accepted send, whose `message.sent` is expected from then on. */
  answered(ended: Ended, messageId: string | null): void {
    this.#sends[ended] += 1;
    if (ended !== 'accepted' || messageId === null) return;
    this.#accepted.add(messageId);
    this.#expected.add(eventKey('message.sent', messageId));
  }

  offered(key: string): void {
    this.#posts.offered += 1;
    this.#offered.add(key);
  }

  /** The service answered 200, so it owes the client this event. */
  taken(key: string): void {
    this.#posts.taken += 1;
    this.#expected.add(key);
  }

  refused(): void {
    this.#posts.refused += 1;
  }

  arrived(key: string): void {
    this.#arrived.set(key, (this.#arrived.get(key) ?? 0) + 1);
  }

  get missing(): number {
    let missing = 0;
    for (const key of this.#expected) if (!this.#arrived.has(key)) missing += 1;
    return missing;
  }

  /** `calls`: the message id of each call that upstream received. */
  account(calls: readonly string[]): Account {
    const distinct = new Set(calls);
    const accepted = [...distinct].filter((id) => this.#accepted.has(id)).length;
    const { missing } = this;
    const arrivals = [...this.#arrived];
    return {
      sends: { ...this.#sends },
      upstream: {
        accepted,
        unanswered: distinct.size - accepted,
        missing: this.#accepted.size - accepted,
        twice: calls.length - distinct.size,
      },
      posts: { ...this.#posts },
      events: {
        expected: this.#expected.size,
        delivered: this.#expected.size - missing,
        lost: missing,
        twice: arrivals.reduce((sum, [, count]) => sum + count - 1, 0),
        unasked: arrivals.filter(([key]) => !this.#expected.has(key) && !this.#offered.has(key)).length,
      },
    };
  }
}

export function sentenceOf({ sends, upstream, posts, events }: Account): string {
  return [
    `sends: ${sends.asked} asked = ${sends.accepted} accepted + ${sends.refused} refused + ${sends.unanswered} unanswered`,
    `upstream got ${upstream.accepted} of the accepted (${upstream.missing} missing, ${upstream.twice} twice)`,
    `POSTs of upstream: ${posts.offered} offered, ${posts.taken} taken, ${posts.refused} refused`,
    `events: ${events.expected} owed, ${events.delivered} delivered, ${events.lost} lost, ${events.twice} twice, ${events.unasked} nobody asked for`,
  ].join('; ');
}
