/** Version and load of this node, for operators: measured when somebody asks, so that it costs nothing otherwise. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../kernel/clock.ts';
import { asRecord } from '../kernel/json.ts';
import type { NodeRun } from '../use-cases/ports/nodes.ts';

/** Two requests within this time get the same value. */
const windowMs = 5_000;

export function makeNodeRun(clock: Clock): () => NodeRun {
  let version: string | null = null;
  let since = performance.eventLoopUtilization();
  let sinceAt = clock.monotonic();
  let busy: number | null = null;
  return () => {
    if (busy === null || clock.monotonic() - sinceAt >= windowMs) {
      busy = performance.eventLoopUtilization(since).utilization;
      since = performance.eventLoopUtilization();
      sinceAt = clock.monotonic();
    }
    version ??= readVersion();
    return { version, busy, memoryBytes: process.memoryUsage.rss() };
  };
}

/** Version of the package that contains this file, compiled or not. */
function readVersion(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const at = join(folder, 'package.json');
    if (!existsSync(at)) continue;
    const { version } = asRecord(JSON.parse(readFileSync(at, 'utf8'))) ?? {};
    return typeof version === 'string' ? version : 'unknown';
  }
  return 'unknown';
}
