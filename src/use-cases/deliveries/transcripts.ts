/**
 * What was sent and answered in attempts that failed, and in others of channels that ask for it. Gathered in memory and written once a
 * second: an attempt pays a sealing, one that is taken nothing. Above a rate a channel's are left out, and its page says that they were
 * not kept; failures have a rate of their own. A node that dies takes a second of them along. [faults: I11]
 */
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import { readTranscript, writeTranscript } from '../../domain/webhooks/transcript.ts';
import type { TranscribedAttempt, Transcript } from '../../domain/webhooks/transcript.ts';
import type { Clock } from '../../kernel/clock.ts';
import { OneAtATime } from '../../kernel/each-in-turn.ts';
import { newId } from '../../kernel/ids.ts';
import type { KeptTranscript, TranscriptStore } from '../ports/transcripts.ts';

/** Of a channel on one node, of either sort. */
const perMinute = 60;
/** Between two writes, of all channels; some are kept free for those that failed. About 4 KB each. */
const maxGathered = { taken: 500, failed: 1_000 };
/** Of a channel, of either sort; about 20 MB. */
const maxKept = 5_000;
const minuteMs = 60_000;
/** More attempts than a delivery's log names. */
const maxOfDelivery = 30;

interface Parts {
  store: TranscriptStore;
  sealer: Sealer;
  clock: Clock;
  /** So long the delivery log is kept. */
  keptMs: number;
}

export class Transcripts {
  readonly #parts: Parts;
  #minute = 0;
  #seen = new Map<string, { taken: number; failed: number }>();
  #gathered: KeptTranscript[] = [];
  readonly #writing = new OneAtATime();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An attempt has ended. */
  note(attempt: TranscribedAttempt): void {
    const { sealer, clock } = this.#parts;
    const createdAt = clock.now();
    if (!this.#hasRoom(attempt, Math.floor(createdAt / minuteMs))) return;
    const { transcript, ...about } = attempt;
    const id = newId();
    const content = sealer.seal(writeTranscript(transcript), sealContext.transcript(attempt.channelId, id));
    this.#gathered.push({ ...about, id, createdAt, content });
  }

  #hasRoom({ channelId, isTaken }: TranscribedAttempt, minute: number): boolean {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#seen = new Map();
    }
    const sort = isTaken ? 'taken' : 'failed';
    const seen = this.#seen.get(channelId) ?? { taken: 0, failed: 0 };
    this.#seen.set(channelId, seen);
    seen[sort] += 1;
    return seen[sort] <= perMinute && this.#gathered.length < maxGathered[sort];
  }

  /** Writes what was gathered, and waits for what is being written. Throws StoreUnavailable; then it stays for the next time. */
  keep(): Promise<void> {
    return this.#writing.run(() => this.#write());
  }

  async #write(): Promise<void> {
    if (this.#gathered.length === 0) return;
    const gathered = this.#gathered;
    this.#gathered = [];
    try {
      await this.#parts.store.add(gathered);
    } catch (error) {
      this.#gathered = [...gathered, ...this.#gathered];
      throw error;
    }
  }

  /** Drops what is older than the log, and what a channel has too many of. */
  trim(): Promise<number> {
    const { store, clock, keptMs } = this.#parts;
    return store.trim(maxKept, clock.now() - keptMs);
  }

  /** By the start of the attempt, as the delivery's log names it. */
  async ofDelivery(
    which: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
  ): Promise<ReadonlyMap<number, Transcript>> {
    // What this node has not written yet; another's is there within a second.
    await this.keep();
    const kept = await this.#parts.store.ofDelivery(which, maxOfDelivery);
    return new Map(
      kept.flatMap((each) => {
        const transcript = this.#opened(each);
        return transcript === null ? [] : [[each.startedAt, transcript]];
      }),
    );
  }

  #opened({ id, channelId, content }: KeptTranscript): Transcript | null {
    try {
      return readTranscript(this.#parts.sealer.open(content, sealContext.transcript(channelId, id)));
    } catch {
      return null; // sealed with a key that is not here any more
    }
  }
}
