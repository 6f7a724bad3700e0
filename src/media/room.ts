/**
 * Room for files: what outsiders make this service keep is bounded for each channel and each account, and on the volume a reserve stays for
 * the database. Whoever exceeds a bound gets no file, and everything else goes on. [faults: 293, 294]
 */
import type { Clock } from '../kernel/clock.ts';
import type { MediaStore } from '../storage/media-store.ts';
import { Failure } from './failure.ts';

export interface RoomLimits {
  perChannelBytes: number;
  perAccountBytes: number;
  /** Free bytes of the volume that files must leave. */
  reserveBytes: number;
}

interface Place {
  channelId: string;
  accountId: string;
}

/** Between two looks at the volume. */
const lookEveryMs = 1_000;
/** What may be written between two looks at the volume, by this node. */
const lookEveryBytes = 8 * 1_024 * 1_024;

export class FileRoom {
  readonly #store: Pick<MediaStore, 'bytesOf' | 'freeBytes'>;
  readonly #limits: RoomLimits;
  readonly #clock: Clock;
  /** Bytes of unfinished files of this node, by channel and by account. */
  readonly #underWay = new Map<string, number>();
  #free: number | null = null;
  #lookedAt = -Infinity;
  #writtenSince = 0;

  constructor(store: Pick<MediaStore, 'bytesOf' | 'freeBytes'>, limits: RoomLimits, clock: Clock) {
    this.#store = store;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Free bytes of the volume at the last look; null: not known. */
  get freeBytes(): number | null {
    return this.#free;
  }

  /** Room for a file of which upstream states `length` bytes. Throws Failure. */
  async enter(place: Place, length: number): Promise<RoomOfFile> {
    const kept = await this.#store.bytesOf(place.channelId, place.accountId);
    const { perChannelBytes, perAccountBytes } = this.#limits;
    const left = (): number =>
      Math.min(
        perChannelBytes - kept.channel - this.#of(place.channelId),
        perAccountBytes - kept.account - this.#of(place.accountId),
      );
    const atFirst = left();
    await this.#leaveReserve(length);
    // Those that are finished by then are kept in the store, those that have begun meanwhile have grown.
    const leftNow = (own: number): number => Math.min(atFirst, left() + own);
    const file = new RoomOfFile(leftNow, (bytes) => this.#grown(place, bytes));
    await file.grow(length, 0);
    return file;
  }

  #of(id: string): number {
    return this.#underWay.get(id) ?? 0;
  }

  async #grown({ channelId, accountId }: Place, bytes: number): Promise<void> {
    for (const id of [channelId, accountId]) {
      const now = this.#of(id) + bytes;
      if (now > 0) this.#underWay.set(id, now);
      else this.#underWay.delete(id);
    }
    if (bytes <= 0) return;
    this.#writtenSince += bytes;
    if (this.#writtenSince >= lookEveryBytes) await this.#leaveReserve(0);
  }

  async #leaveReserve(length: number): Promise<void> {
    const isOld = this.#clock.monotonic() - this.#lookedAt >= lookEveryMs;
    if (isOld || this.#writtenSince >= lookEveryBytes) {
      this.#free = await this.#store.freeBytes();
      this.#lookedAt = this.#clock.monotonic();
      this.#writtenSince = 0;
    }
    if (this.#free !== null && this.#free - length < this.#limits.reserveBytes) throw new Failure('no-room');
  }
}

/** What one unfinished file takes. */
export class RoomOfFile {
  readonly #left: (own: number) => number;
  readonly #grown: (bytes: number) => Promise<void>;
  #taken = 0;

  /** `left`: bytes that the bounds of channel and account leave for it, of which it has `own` already. */
  constructor(left: (own: number) => number, grown: (bytes: number) => Promise<void>) {
    this.#left = left;
    this.#grown = grown;
  }

  /** The file will have `stated` bytes, and has `size` so far. Throws Failure. */
  async grow(stated: number, size: number): Promise<void> {
    const needed = Math.max(stated, size);
    if (needed > this.#left(this.#taken)) throw new Failure('quota');
    const more = needed - this.#taken;
    if (more <= 0) return;
    this.#taken = needed;
    await this.#grown(more);
  }

  /** The file is stored, or given up. */
  async leave(): Promise<void> {
    const taken = this.#taken;
    this.#taken = 0;
    if (taken > 0) await this.#grown(-taken);
  }
}
