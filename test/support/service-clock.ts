/** The clock of a service process, which a test sets. It outlives the process: after a restart it is as far ahead as before. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const preload = join(import.meta.dirname, 'wall-clock.mjs');

export class ServiceClock {
  /** Settings of the process. */
  readonly env: Record<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'trunkline-clock-'));
  readonly #file = join(this.#folder, 'ahead');
  #aheadMs = 0;

  /** `steps`: the wall clock alone is set; `passes`: time passes, but no timer of the process fires earlier. */
  constructor(how: 'steps' | 'passes') {
    writeFileSync(this.#file, '0');
    this.env = {
      NODE_OPTIONS: `--import ${preload}`,
      WALL_AHEAD_FILE: this.#file,
      TIME_PASSES: how === 'passes' ? '1' : '0',
    };
  }

  /** By this many ms, negative too, from where it is; the process reads it a moment later. */
  move({ process }: { process: ChildProcess }, ms: number): void {
    this.#aheadMs += ms;
    writeFileSync(this.#file, String(this.#aheadMs));
    process.kill('SIGUSR2');
  }

  /** After the process has ended. */
  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
