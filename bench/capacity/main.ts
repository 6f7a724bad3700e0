/** `npm run capacity -- --channels N --sends N …`: nodes, Redis and MongoDB that a load needs. docs/operating/capacity.md */
import { parseArgs } from 'node:util';
import { readCosts } from './costs.ts';
import { planFor } from './model.ts';
import type { Load } from './model.ts';
import { pageOf } from './page.ts';

const usage = `Usage: npm run capacity -- [options]

  --channels N   connected channels (default: 1000)
  --live N       channels of these that were active within the last minute (default: a tenth)
  --sends N      sends per second, on average (default: 10)
  --inbound N    inbound messages per second, on average (default: as many as sends)
  --statuses N   statuses that upstream reports for each send (default: 3)
  --peak N       peak load as a multiple of the average (default: 2)
  --log-days N   the setting DELIVERY_LOG_DAYS (default: 7)
`;

const number = { type: 'string' } as const;
const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  channels: number,
  live: number,
  sends: number,
  inbound: number,
  statuses: number,
  peak: number,
  'log-days': number,
} as const;

const liveShare = 0.1;

/** Throws for an option that is not a number. */
function loadFrom(given: Record<string, string | boolean | undefined>): Load {
  const read = (name: string, otherwise: number): number => {
    const value = given[name];
    if (value === undefined) return otherwise;
    const parsed = Number(value);
    if (!Number.isFinite(parsed) || parsed < 0) throw new Error(`--${name} must be a number of 0 or more`);
    return parsed;
  };
  const channels = read('channels', 1_000);
  const sends = read('sends', 10);
  return {
    channels,
    liveChannels: Math.min(channels, read('live', Math.ceil(channels * liveShare))),
    sends,
    inbound: read('inbound', sends),
    statusesPerSend: read('statuses', 3),
    peak: read('peak', 2),
    logDays: read('log-days', 7),
  };
}

function main(): void {
  const { values } = parseArgs({ options: flags });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const costs = readCosts();
  const load = loadFrom(values);
  process.stdout.write(pageOf(load, planFor(load, costs), costs));
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
