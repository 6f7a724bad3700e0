/**
 * Transcripts of failed attempts, and of successful ones if the channel asks for it. Buffered in memory and written once a second: a
 * kept attempt costs one encryption, others nothing. Above a rate per channel transcripts are dropped, and the delivery's page says so;
 * failures have a rate of their own. A node that dies loses one second. [faults: I11]
 */
import { sealContext } from '../../kernel/sealed.ts';
import type { Sealer } from '../../kernel/sealed.ts';
import { readTranscript, writeTranscript } from '../../rules/webhooks/transcript.ts';
import type { TranscribedAttempt, Transcript } from '../../rules/webhooks/transcript.ts';
import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { WriteBehindList } from '../../kernel/write-behind-buffer.ts';
import type { KeptTranscript } from './entity.ts';
import type { TranscriptStore } from './transcripts-store.ts';

/** Per channel and node, for successful and failed attempts each. */
const perMinute = 60;
/** Bound of the whole buffer between two writes; its last part is reserved for failures. About 4 KB each. */
const maxGathered = { taken: 500, failed: 1_000 };
/** Per channel, for successful and failed attempts each; about 20 MB. */
const maxKept = 5_000;
/** More than a delivery's attempt log holds. */
const maxOfDelivery = 30;

interface Parts {
  store: TranscriptStore;
  sealer: Sealer;
  clock: Clock;
  /** Retention of the delivery log. */
  keptMs: number;
}

export class Transcripts {
  readonly #parts: Parts;
  #minute = 0;
  #seen = new Map<string, { taken: number; failed: number }>();
  readonly #gathered = new WriteBehindList<KeptTranscript>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Notes an ended attempt. */
  note(attempt: TranscribedAttempt): void {
    const { sealer, clock } = this.#parts;
    const createdAt = clock.now();
    if (!this.#hasRoom(attempt, Math.floor(createdAt / minuteMs))) return;
    const { transcript, ...about } = attempt;
    const id = newId();
    const content = sealer.seal(writeTranscript(transcript), sealContext.transcript(attempt.channelId, id));
    this.#gathered.add({ ...about, id, createdAt, content });
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

  /** Writes the buffer, after a write that is running. Throws StoreUnavailable; then the transcripts stay buffered. */
  flush(): Promise<void> {
    return this.#gathered.write((transcripts) => this.#parts.store.add(transcripts));
  }

  /** Drops transcripts older than the delivery log, and those beyond `maxKept`. Stops early when the signal aborts. */
  trim(stopping?: AbortSignal): Promise<number> {
    const { store, clock, keptMs } = this.#parts;
    return store.trim(maxKept, clock.now() - keptMs, stopping);
  }

  /** Transcripts by the start time of their attempt, which the delivery's attempt log also has. */
  async ofDelivery(
    which: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
  ): Promise<ReadonlyMap<number, Transcript>> {
    // Writes this node's buffer; other nodes write theirs within a second.
    await this.flush();
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
      return null; // its key is no longer configured
    }
  }
}
