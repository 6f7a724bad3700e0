/** What bench 17 needs from its reader: a checkout of nyaruka/courier, Go, PostgreSQL and a Redis. Nothing of them is part of this project. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findProgram, isExecutable } from '../../test/support/executables.ts';
import { CannotRun } from '../scenarios/bench.ts';
import { hasRedis, noRedis } from '../world/redis.ts';

export interface Checkout {
  /** Absolute. */
  folder: string;
  /** The name of its Go module, with its version: `github.com/nyaruka/courier/v26`. */
  module: string;
}

const moduleLine = /^module (github\.com\/nyaruka\/courier(?:\/v\d+)?)\s*$/m;

/** `path`: the value of BENCH_COURIER. Throws `CannotRun` with a sentence for its reader. */
export function checkoutAt(path: string | undefined): Checkout {
  if (path === undefined || path === '')
    throw new CannotRun('BENCH_COURIER names no checkout of nyaruka/courier, so that no peer is measured');
  const folder = resolve(path);
  const file = join(folder, 'go.mod');
  if (!existsSync(file))
    throw new CannotRun(
      `BENCH_COURIER is ${path}, which has no go.mod: the bench builds the peer from its checkout, with upstream's address replaced`,
    );
  const module = moduleLine.exec(readFileSync(file, 'utf8'))?.[1];
  if (module === undefined) throw new CannotRun(`BENCH_COURIER is ${path}, whose go.mod is not courier's`);
  return { folder, module };
}

/** Throws `CannotRun` if a program is missing that the peer is built with or needs. */
export function needPrograms(): void {
  if (findProgram('go') === null) throw new CannotRun('the peer is written in Go, which is not on the PATH');
  if (!hasRedis()) throw new CannotRun(noRedis);
  postgresFolder();
}

/** The folder of PostgreSQL's own programs; `initdb` is seldom on the PATH, but stands beside `postgres`. */
export function postgresFolder(): string {
  const found = findProgram('postgres');
  const folder = found === null ? null : dirname(realpathSync(found));
  if (folder === null || !['initdb', 'postgres', 'psql'].every((name) => isExecutable(join(folder, name))))
    throw new CannotRun('the peer needs PostgreSQL: postgres on the PATH, with initdb and psql beside it');
  return folder;
}

/**
 * Builds the peer. Upstream's address is a constant of its source; the linker replaces it, so that it runs as its authors wrote it.
 * `upstream`: origin with a slash at its end.
 */
export function buildPeer({ folder, module }: Checkout, upstream: string, output: string): void {
  const replaced = `-X ${module}/handlers/meta.graphURL=${upstream}`;
  execFileSync('go', ['build', '-ldflags', replaced, '-o', output, './cmd/courier'], {
    cwd: folder,
    stdio: 'pipe',
  });
}
