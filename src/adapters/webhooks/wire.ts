import type { Clock } from '../../kernel/clock.ts';
import { guardedConnector, guardedLookup } from '../outgoing/dial.ts';
import type { DialRules, Lookup } from '../outgoing/dial.ts';
import { guardHeads } from './heads.ts';
import { OriginPools } from './origin-pools.ts';

/** Idle connections stay open this long unless the receiver says otherwise. */
const keepIdleMs = 30_000;

const maxHeaderBytes = 16_384;

interface WireOptions {
  lookup: Lookup;
  rules: DialRules;
  clock: Clock;
  timeoutMs: number;
  ca: string | undefined;
}

/** Loads undici (40 ms, some MB) lazily, with the first POST. */
export async function openOriginPools(options: WireOptions): Promise<OriginPools> {
  const { Pool, buildConnector } = await import('undici');
  const dial = guardedConnector(
    buildConnector({
      timeout: options.timeoutMs,
      lookup: guardedLookup(options.lookup, options.rules),
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
    options.rules,
  );
  const connect: typeof dial = (target, callback) =>
    dial(target, (...connected) => {
      if (connected[0] === null) guardHeads(connected[1]);
      callback(...connected);
    });
  const poolOptions = {
    connect,
    keepAliveTimeout: keepIdleMs,
    keepAliveMaxTimeout: keepIdleMs,
    maxHeaderSize: maxHeaderBytes,
    // Disabled: a dripped body or a flood of 1xx outlives them. `Attempt` has the deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return new OriginPools((origin) => new Pool(origin, poolOptions), options.clock);
}
