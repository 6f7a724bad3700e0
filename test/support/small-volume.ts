/** A volume of a few megabytes, mounted for a test; only root may mount. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';

export class SmallVolume {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static mount(megabytes: number): SmallVolume {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-volume-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    return new SmallVolume(folder);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** What another program would do: takes all but `left` bytes. */
  fill(left = 0): void {
    const path = join(this.folder, 'of-another-program');
    rmSync(path, { force: true });
    try {
      writeFileSync(path, Buffer.alloc(Math.max(0, this.freeBytes - left)));
    } catch {
      // The last block did not fit: it is full.
    }
  }

  empty(): void {
    rmSync(join(this.folder, 'of-another-program'), { force: true });
  }

  names(folder: string): string[] {
    return readdirSync(join(this.folder, folder));
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function canMount(): boolean {
  try {
    SmallVolume.mount(1).unmount();
    return true;
  } catch {
    return false;
  }
}

/** A test that mounts volumes; without the right to mount it is skipped by name. */
export const volumeTest = canMount() ? test : test.skip;
