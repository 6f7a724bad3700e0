/** Work that belongs to no channel, and how often it is done. [architecture §8] */
import type { Jobs } from '../adapters/jobs/index.ts';
import type { Mailer } from '../adapters/mail/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { ChannelRouter } from '../use-cases/ports/messages.ts';
import type { Stores } from '../use-cases/ports/stores.ts';

interface JobsWorld {
  /** Done by every node. */
  ownJobs: Jobs;
  /** Done once in the cluster. */
  sharedJobs: Jobs;
  stores: Stores;
  router: ChannelRouter;
  mailer: Mailer;
  giveParkedFacts(): Promise<void>;
  clock: Clock;
  log: Log;
}

const sweepMs = 5_000;
const parkedMs = 1_000;
const channelsPerSweep = 200;
const mailsMs = 2_000;
const housekeepingMs = 60_000;
const dayMs = 86_400_000;
/** Upstream redelivers for up to 7 days: what tells a repeat from news is kept longer. [upstream §1.6] */
const keepFinishedMs = 8 * dayMs;

/** Answers a function that sweeps now: for when a node is gone. */
export async function scheduleJobs(world: JobsWorld): Promise<() => void> {
  const { ownJobs, sharedJobs, log } = world;
  await sweep(world); // what a crash left behind does not wait for the first interval
  ownJobs.every('sweep-due-work', sweepMs, () => sweep(world));
  ownJobs.every('give-parked-facts', parkedMs, async () => givingParked(world));
  sharedJobs.every('send-mails', mailsMs, async () => void (await world.mailer.sendDue()));
  sharedJobs.every('housekeeping', housekeepingMs, () => housekeep(world));
  return () =>
    void sweep(world).catch((error: unknown) => log.warn({ error: asError(error) }, 'sweep.failed'));
}

/** Not awaited: one owner that is looked for in vain must not put off the look for the others. [architecture §7] */
function givingParked(world: JobsWorld): void {
  world
    .giveParkedFacts()
    .catch((error: unknown) => world.log.warn({ error: asError(error) }, 'parked.not-looked'));
}

/** Finds due work whose channel has no live owner. [architecture §6.6] */
async function sweep({ stores, router, clock }: JobsWorld): Promise<void> {
  const channels = await stores.dueWork.channelsWithDueWork(clock.now(), channelsPerSweep);
  for (const channelId of channels) router.tell(channelId, { type: 'wake' });
}

async function housekeep({ stores, clock }: JobsWorld): Promise<void> {
  const now = clock.now();
  await stores.channels.dropExpiredReservations(now);
  await stores.setupSessions.dropExpired(now);
  await stores.idempotency.dropOlder(now - dayMs);
  await stores.dueWork.dropFinished(now - keepFinishedMs);
}
