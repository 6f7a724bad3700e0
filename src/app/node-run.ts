/** Version and load of this node, for operators: measured when somebody asks, so that it costs nothing otherwise. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../kernel/clock.ts';
import type { NodeRun } from '../ownership/cluster-view.ts';
import { readBuild } from '../kernel/version.ts';
import type { Build } from '../kernel/version.ts';

/** Two requests within this time get the same value. */
const windowMs = 5_000;

export function makeNodeRun(clock: Clock): () => NodeRun {
  let build: Build | null = null;
  let since = performance.eventLoopUtilization();
  let sinceAt = clock.monotonic();
  let busy: number | null = null;
  return () => {
    if (busy === null || clock.monotonic() - sinceAt >= windowMs) {
      busy = performance.eventLoopUtilization(since).utilization;
      since = performance.eventLoopUtilization();
      sinceAt = clock.monotonic();
    }
    build ??= readBuild();
    return { ...build, busy, memoryBytes: process.memoryUsage.rss() };
  };
}
