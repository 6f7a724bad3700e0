/** Upstream's files: they come late, fail for a while, or are gone. */
import type { FileFetcher, FileOutcome, FileRequest } from '../../../src/rules/outside.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { fileFetched } from './files.ts';
import type { Random } from './random.ts';

export class ModelFiles implements FileFetcher {
  /** Until this time some fetches fail. */
  areHealthy = false;
  /** How often each file was requested. */
  readonly asked = new Map<string, number>();
  readonly #clock: FakeClock;
  readonly #random: Random;

  constructor(clock: FakeClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  fetch({ file }: FileRequest): Promise<FileOutcome> {
    const name = file.mediaId ?? '';
    this.asked.set(name, (this.asked.get(name) ?? 0) + 1);
    const tookMs = this.#random.chance(0.7) ? this.#random.between(0, 100) : this.#random.between(0, 60_000);
    const outcome = this.#outcome(name);
    return new Promise((resolve) => {
      this.#clock.after(tookMs, () => resolve(outcome));
    });
  }

  #outcome(name: string): FileOutcome {
    if (!this.areHealthy && this.#random.chance(0.3))
      return { outcome: 'failed', error: 'No file', mayPass: this.#random.chance(0.7) };
    return fileFetched(name);
  }
}
