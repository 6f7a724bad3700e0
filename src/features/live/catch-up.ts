/** Replays missed events from the delivery log to one subscriber. [operator-interface §4, live feed after a reconnect] */
import { toIso } from '../../kernel/clock.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import { SerialQueues } from '../../kernel/serial.ts';
import { liveDeliveryOf } from './live-socket.ts';
import type { LiveDelivery, LoggedEntry } from './live-socket.ts';
import type { Envelope } from '../../rules/events/built.ts';
import type { MissedEvent } from '../deliveries/index.ts';

/** Concurrent catch-ups; each holds one page of the log. */
const maxConcurrent = 4;

export type Missed = (accountId: string, since: number) => AsyncIterable<readonly MissedEvent[]>;

interface CatchingUp {
  accountId: string;
  since: number;
  isGone(): boolean;
  event(envelope: Envelope, delivery: LiveDelivery): void;
  logged(entry: LoggedEntry): void;
  drained(): Promise<void>;
}

/** Runs one catch-up at a time per account and a few in total, so that a client that reconnects in a loop cannot read the log faster. */
export class CatchUps {
  readonly #missed: Missed;
  readonly #slots = new Semaphore(maxConcurrent);
  readonly #ofAccount = new SerialQueues();

  constructor(missed: Missed) {
    this.#missed = missed;
  }

  /** False if too many wait: the subscriber must reconnect. Rejects with the log's error. */
  run(to: CatchingUp): Promise<boolean> {
    return this.#ofAccount.run(to.accountId, () => this.#inTurn(to));
  }

  async #inTurn(to: CatchingUp): Promise<boolean> {
    if (to.isGone()) return true;
    if (!(await this.#slots.take())) return false;
    try {
      for await (const page of this.#missed(to.accountId, to.since)) {
        if (to.isGone()) return true;
        for (const each of page) replay(to, each);
        await to.drained();
      }
      return true;
    } finally {
      this.#slots.free();
    }
  }
}

function replay(to: CatchingUp, missed: MissedEvent): void {
  const { deliveryId, channelId, channelType, event, messageId, state, createdAt, content } = missed;
  const at = toIso(createdAt);
  if (content !== null) {
    return to.event(content.envelope, liveDeliveryOf(deliveryId, at, content.signatures));
  }
  to.logged({
    webhook_id: deliveryId,
    event,
    channel_id: channelId,
    channel_type: channelType,
    message_id: messageId,
    state,
    created_at: at,
  });
}
