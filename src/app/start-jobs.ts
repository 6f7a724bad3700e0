/** Starts the jobs that belong to no channel. */
import { makeInProcessJobs } from '../jobs/in-process.ts';
import { makeMailer } from '../features/mails/mailer.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { runAll } from '../kernel/serial.ts';
import type { NodeWork } from './node-work.ts';
import { scheduleJobs } from './jobs.ts';
import { instrumentJobs } from './metrics/instrument.ts';
import type { Node } from './node.ts';
import type { Storage } from './open-storage.ts';
import type { Routing } from './routing.ts';

interface Parts {
  sealer: Sealer;
  hasOlderKeys: boolean;
  storage: Storage;
  routing: Routing;
  work: NodeWork;
}

export async function startJobs(
  node: Node,
  { sealer, storage, routing, work, hasOlderKeys }: Parts,
): Promise<void> {
  const { settings, clock, log, stages, events } = node;
  const { stores } = storage;
  const { smtpUrl, mailFrom: from, baseUrl, deliveryLogDays } = settings;
  const mailer = makeMailer({
    smtpUrl,
    from,
    baseUrl,
    mails: stores.mails,
    accounts: stores.accounts,
    people: stores.people,
    sealer,
    counters: node.metrics,
    clock,
    log,
  });
  const ownJobs = instrumentJobs(makeInProcessJobs({ clock, log }), node);
  const { router, sharedJobs } = routing;
  const { healthCheckIntervalMs, digestIntervalMs } = settings;
  const times = { healthCheckIntervalMs, deliveryLogDays, digestIntervalMs };
  const own = { ownJobs, sharedJobs, ...times, hasOlderKeys };
  const parts = { ...own, stores, router, mailer, own: work, clock, log };
  events.on('orphans', await scheduleJobs(parts));
  stages.started('jobs', async () => {
    await ownJobs.stop();
    mailer.stop();
    await runAll([() => work.flushActivity(), () => work.flushBuffers()]);
  });
}
