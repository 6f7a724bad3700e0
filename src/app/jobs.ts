/**
 * Jobs that belong to no channel, one line each. A periodic job runs on every node if it concerns that node or must not be missed, or once
 * in the cluster if running it twice would be waste; a queued job runs on whichever node takes it. [architecture §8]
 */
import type { Stores } from '../features/stores.ts';
import type { JobData, Jobs } from '../jobs/jobs.ts';
import type { Mailer } from '../features/mails/mailer.ts';
import { minuteMs } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import { asRecord } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { NodeWork } from './node-work.ts';
import { DueWorkSweep } from './due-work-sweep.ts';
import { eraseFinished, runHousekeeping } from './housekeeping.ts';
import type { ChannelRouter } from '../../actors/channel/asks.ts';

interface JobParts {
  /** Run by every node. */
  ownJobs: Jobs;
  /** Run once in the cluster. */
  sharedJobs: Jobs;
  stores: Stores;
  router: ChannelRouter;
  mailer: Mailer;
  /** [operator-interface §2, DELIVERY_LOG_DAYS] */
  deliveryLogDays: number;
  /** [operator-interface §2, DIGEST_INTERVAL_MS] */
  digestIntervalMs: number;
  own: NodeWork;
  healthCheckIntervalMs: number;
  /** Whether there are keys that encrypt nothing any more but may still have to decrypt. */
  hasOlderKeys: boolean;
  clock: Clock;
  log: Log;
}

interface TurnParts extends JobParts {
  dueWork: DueWorkSweep;
  /** Logs that stranded facts could not be looked for. */
  notLooked: (event: 'stranded.not-looked', error: Error) => void;
}

interface Periodic {
  name: string;
  by: 'every node' | 'one node';
  everyMs: number;
  work: (parts: TurnParts, stopping: AbortSignal) => Promise<unknown>;
}

/** A job about one channel or one mail. */
interface Queued {
  name: string;
  subject: 'channelId' | 'mailId';
  /** `requestId`: the id of the request that caused the job. */
  work: (parts: JobParts, id: string, requestId?: string) => Promise<void>;
}

/** Longest time between two runs of the health check; each channel is checked once in HEALTH_CHECK_INTERVAL_MS. */
const maxCheckMs = 60_000;

const periodic: readonly Periodic[] = [
  { name: 'sweep-due-work', by: 'every node', everyMs: 5_000, work: ({ dueWork }) => dueWork.sweep() },
  {
    name: 'give-stranded-facts',
    by: 'every node',
    everyMs: 1_000,
    work: async (parts) => givingStranded(parts),
  },
  {
    name: 'keep-gathered',
    by: 'every node',
    everyMs: 1_000,
    work: ({ own }) => own.flushBuffers(),
  },
  {
    name: 'resume-replays',
    by: 'one node',
    everyMs: 5_000,
    work: ({ own }) => own.resumeReplays(),
  },
  {
    name: 'follow-up-changes',
    by: 'one node',
    everyMs: 5_000,
    work: ({ own }) => own.followUpChanges(),
  },
  { name: 'tell-changes', by: 'one node', everyMs: 1_000, work: ({ own }) => own.tellChanges() },
  {
    name: 'keep-app-webhooks',
    by: 'one node',
    everyMs: 60_000,
    work: ({ own }) => own.keepAppWebhooks(),
  },
  {
    name: 'refresh-app-problems',
    by: 'every node',
    everyMs: 10_000,
    work: ({ own }) => own.refreshAppProblems(),
  },
  {
    name: 'disable-endpoints',
    by: 'one node',
    everyMs: 600_000,
    work: ({ own }) => own.disableFailingEndpoints(),
  },
  { name: 'look-for-mails', by: 'one node', everyMs: 2_000, work: lookForMails },
  {
    name: 'sync-templates',
    by: 'one node',
    everyMs: 2_000,
    work: ({ own }) => own.syncDueTemplates(),
  },
  {
    name: 'reseal-secrets',
    by: 'one node',
    everyMs: 60_000,
    work: async ({ own, hasOlderKeys }) => (hasOlderKeys ? own.resealSecrets() : undefined),
  },
  {
    name: 'register-numbers',
    by: 'one node',
    everyMs: 30_000,
    work: ({ own }) => own.registerDueNumbers(),
  },
  { name: 'turn-licences', by: 'one node', everyMs: 10_000, work: ({ own }) => own.turnLicences() },
  { name: 'housekeeping', by: 'one node', everyMs: 60_000, work: runHousekeeping },
  // Not a part of housekeeping: after a change of DELIVERY_LOG_DAYS it may take hours.
  { name: 'erase-finished', by: 'one node', everyMs: 60_000, work: eraseFinished },
];

const queued: readonly Queued[] = [
  {
    name: 'unsubscribe-asset',
    subject: 'channelId',
    work: ({ own }, channelId, requestId) => own.jobs['unsubscribe-asset']({ channelId, requestId }),
  },
  {
    name: 'look-at-channel',
    subject: 'channelId',
    work: ({ own }, channelId, requestId) => own.jobs['look-at-channel']({ channelId, requestId }),
  },
  { name: 'send-mail', subject: 'mailId', work: ({ mailer }, mailId) => mailer.send(mailId) },
];

/** Returns a function that sweeps at once, for when a node has died. */
export async function scheduleJobs(given: JobParts): Promise<() => void> {
  const { ownJobs, sharedJobs, own, clock, log } = given;
  const dueWork = new DueWorkSweep(given);
  const notLooked = onceAWhile<Error>(clock, minuteMs, (event, times, error) =>
    log.warn({ times, error }, event),
  );
  const parts = { ...given, dueWork, notLooked };
  await dueWork.sweep(); // due work that a crash left does not wait for the first interval
  sharedJobs.handle('check-app-webhooks', () => own.jobs['check-app-webhooks']({}));
  if (parts.hasOlderKeys) resealing(parts); // an operator who rotates keys waits for this
  for (const { name, by, everyMs, work } of periodic) {
    const jobs = by === 'every node' ? ownJobs : sharedJobs;
    jobs.every(name, everyMs, async (stopping) => void (await work(parts, stopping)));
  }
  const checkMs = Math.min(maxCheckMs, Math.max(1, parts.healthCheckIntervalMs));
  sharedJobs.every('check-channels', checkMs, () => own.checkChannels());
  // A channel's health shows its last traffic, which must be as recent as the check.
  ownJobs.every('keep-activity', checkMs, () => own.flushActivity());
  for (const { name, subject, work } of queued) {
    sharedJobs.handle(name, (data) =>
      work(parts, idIn(data, subject) ?? missing(subject), idIn(data, 'requestId') ?? undefined),
    );
  }
  return () =>
    void dueWork.sweep().catch((error: unknown) => log.warn({ error: asError(error) }, 'sweep.failed'));
}

/** A job of another build whose data this build does not understand fails, and is dropped after its retries. */
function missing(subject: string): never {
  throw new Error(`the job has no ${subject}`);
}

function idIn(data: JobData, subject: Queued['subject'] | 'requestId'): string | null {
  const id = asRecord(data)?.[subject];
  return typeof id === 'string' ? id : null;
}

/**
 * Queues due mails under their own ids: a mail that is queued, being sent or waiting for a retry is not queued twice, and one whose job was
 * lost is queued again.
 */
async function lookForMails({ mailer, sharedJobs }: JobParts): Promise<void> {
  for (const mailId of await mailer.due()) await sharedJobs.enqueue('send-mail', { mailId }, mailId);
}

/** Not awaited: the wait for one unreachable owner must not delay the look-up of the others. [architecture §7] */
function givingStranded({ own, notLooked }: TurnParts): void {
  own.giveStrandedFacts().catch((error: unknown) => notLooked('stranded.not-looked', asError(error)));
}

function resealing({ own, log }: JobParts): void {
  own.resealSecrets().catch((error: unknown) => log.warn({ error: asError(error) }, 'keys.not-resealed'));
}
