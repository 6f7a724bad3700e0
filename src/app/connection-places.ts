/** How many connections each listener of a node may hold, and what is told when there is no place. */
import { ConnectionShares } from '../kernel/connection-shares.ts';
import type { Drop } from '../kernel/connection-shares.ts';
import { minuteMs } from '../kernel/clock.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import { maxOpenFiles } from '../kernel/open-files.ts';
import type { Node } from './node.ts';

type Listener = 'public' | 'operators' | 'internal';

/** Each connection costs some 20 KB, whatever the process may open. [faults: 93] */
const most: Record<Listener, number> = { public: 10_000, operators: 1_000, internal: 1_000 };
/** Parts of the places that are left beside our own files and calls. */
const share: Record<Listener, number> = { public: 0.8, operators: 0.1, internal: 0.1 };
/** Half of what may be open is for the store, upstream, receivers, Redis; more than this they never need. */
const mostForOurselves = 2_000;

/** The places of a listener, out of what this process may open (RLIMIT_NOFILE). */
export function placesOf(listener: Listener, openFiles = maxOpenFiles()): number {
  const left = openFiles - Math.min(mostForOurselves, openFiles / 2);
  return Math.max(1, Math.min(most[listener], Math.floor(left * share[listener])));
}

/** Shares the places of this listener of the node; what is dropped is counted, and logged once a minute. */
export function sharePlaces(node: Node, listener: Listener): ConnectionShares {
  const { clock, log, metrics } = node;
  const tell = onceAWhile<Drop>(clock, minuteMs, (_listener, dropped, drop) =>
    log.warn({ listener, ...drop, dropped }, 'listener.full'),
  );
  const shares = new ConnectionShares(placesOf(listener), (drop) => {
    metrics.increment('connections_dropped_total', { listener, why: drop.why });
    tell(listener, drop);
  });
  if (listener === 'public') metrics.gauges(() => ({ connections_open: shares.open }));
  return shares;
}
