/** Work that belongs to no channel, and how often it is done. [architecture §8] */
import type { Settings } from '../../config/settings.ts';
import type { Jobs } from '../adapters/jobs/ports.ts';
import type { Mailer } from '../adapters/mail/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ChannelRouter, Stores } from '../use-cases/ports.ts';

interface JobsWorld {
  jobs: Jobs;
  stores: Stores;
  router: ChannelRouter;
  mailer: Mailer;
  clock: Clock;
  log: Log;
  settings: Settings;
}

const sweepMs = 5_000;
const channelsPerSweep = 200;
const mailsMs = 2_000;
const housekeepingMs = 60_000;
const dayMs = 86_400_000;
/** Upstream redelivers for up to 7 days: what tells a repeat from news is kept longer. [upstream §1.6] */
const keepFinishedMs = 8 * dayMs;

export async function scheduleJobs(world: JobsWorld): Promise<void> {
  const { jobs } = world;
  await sweep(world); // what a crash left behind does not wait for the first interval
  jobs.every('sweep-due-work', sweepMs, () => sweep(world));
  jobs.every('send-mails', mailsMs, async () => void (await world.mailer.sendDue()));
  jobs.every('housekeeping', housekeepingMs, () => housekeep(world));
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
