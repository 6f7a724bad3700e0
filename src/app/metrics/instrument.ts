/** Wrappers that measure what the actors and jobs call; their users do not notice. */
import { canceledResult, countsAsGivenUp } from '../../rules/webhooks/delivery.ts';
import type { ChannelJournal } from '../../storage/journal/channel-journal.ts';
import type { FileFetcher, Upstream, WebhookPoster } from '../../rules/outside.ts';
import type { Write } from '../../storage/journal/writes.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { FencedError, StoreUnavailable } from '../../kernel/faults.ts';
import type { Counters, Observers } from '../../kernel/metrics.ts';

interface Measuring {
  metrics: Counters & Observers;
  clock: Clock;
}

/** Counts a delivery of the channel that was given up at this time: 1, or -1 when it is replayed. */
export type CountGivenUp = (channelId: string, at: number, count: 1 | -1) => unknown;

/** `gaveUp` is called for what is on record. */
export function instrumentStore<S extends Pick<ChannelJournal, 'commit'>>(
  store: S,
  { metrics, clock, gaveUp }: Measuring & { gaveUp?: CountGivenUp },
): S {
  return {
    ...store,
    commit(channelId, epoch, writes, whenCertain) {
      const startedAt = clock.monotonic();
      return store.commit(channelId, epoch, writes, whenCertain).then(
        (results) => {
          metrics.observe('store_commit_seconds', secondsSince(startedAt, clock));
          // Counts only what is on record.
          writes.forEach((write, index) => {
            if (results[index]?.applied === false) return;
            countWrite(metrics, write);
            if (gaveUp !== undefined) countGivenUp(write, channelId, clock, gaveUp);
          });
          return results;
        },
        (error: unknown) => {
          metrics.increment('store_errors_total', { error: kindOfError(error) });
          throw error;
        },
      );
    },
  };
}

function countWrite(metrics: Counters, write: Write): void {
  const step = nameSendStep(write);
  if (step !== null) return metrics.increment('sends_recorded_total', { outcome: step });
  const outcome = nameDeliveryStep(write);
  if (outcome !== null) metrics.increment('deliveries_recorded_total', { outcome });
}

/** A kept delivery has the time of its end, by which a replay finds the hour in which it was counted. */
function countGivenUp(write: Write, channelId: string, clock: Clock, gaveUp: CountGivenUp): void {
  if (write.write === 'reviveDelivery') gaveUp(channelId, write.keptSince, -1);
  if (write.write !== 'recordAttempt' || write.attempt.state !== 'failed') return;
  const { kept, lastResult } = write.attempt;
  if (countsAsGivenUp(lastResult, kept !== undefined)) gaveUp(channelId, kept?.keptSince ?? clock.now(), 1);
}

function nameSendStep(write: Write): string | null {
  switch (write.write) {
    case 'insertMessage':
      return write.message.state === 'sending' ? 'claimed' : write.message.state;
    case 'claimCopy':
      return 'claimed_again';
    case 'recordAccepted':
      return 'sent';
    case 'recordDeferred':
      return 'deferred';
    case 'recordUnknown':
      return 'unknown';
    case 'recordFailed':
      return 'failed';
    default:
      return null;
  }
}

const attemptSteps = { pending: 'retried', delivered: 'delivered', failed: 'given_up' } as const;

function nameDeliveryStep(write: Write): string | null {
  if (write.write === 'insertDelivery' || write.write === 'insertCopy') return 'added';
  if (write.write === 'reviveDelivery') return 'revived';
  if (write.write !== 'recordAttempt') return null;
  return write.attempt.lastResult === canceledResult ? 'canceled' : attemptSteps[write.attempt.state];
}

function kindOfError(error: unknown): string {
  if (error instanceof FencedError) return 'fenced';
  return error instanceof StoreUnavailable ? 'unavailable' : 'other';
}

export function instrumentSends(upstream: Upstream, { metrics, clock }: Measuring): Upstream {
  return {
    send(call) {
      const startedAt = clock.monotonic();
      return upstream.send(call).then((said) => {
        const labels = { channel_type: call.channel.channelType, outcome: said.outcome };
        metrics.observe('upstream_send_seconds', secondsSince(startedAt, clock), labels);
        metrics.increment('upstream_sends_total', labels);
        return said;
      });
    },
  };
}

export function instrumentPosts(webhooks: WebhookPoster, { metrics, clock }: Measuring): WebhookPoster {
  return {
    post(post) {
      const startedAt = clock.monotonic();
      const waited = Math.max(0, clock.now() - post.since) / 1_000;
      return webhooks.post(post).then((said) => {
        const seconds = secondsSince(startedAt, clock);
        metrics.observe('delivery_attempt_seconds', seconds);
        const isTried = said.ok || said.reason !== 'busy';
        if (isTried && post.attempt === 1) metrics.observe('delivery_first_attempt_seconds', waited);
        if (said.ok) metrics.observe('delivery_end_to_end_seconds', waited + seconds);
        const result = said.ok ? 'delivered' : said.reason.replaceAll(' ', '_');
        metrics.increment('delivery_attempts_total', { result });
        return said;
      });
    },
  };
}

export function instrumentFiles(files: FileFetcher, { metrics, clock }: Measuring): FileFetcher {
  return {
    async fetch(request, left) {
      const startedAt = clock.monotonic();
      const said = await files.fetch(request, left);
      metrics.observe('media_fetch_seconds', secondsSince(startedAt, clock));
      const failed = said.outcome === 'failed' && said.mayPass ? 'failed_for_now' : said.outcome;
      metrics.increment('media_files_total', { outcome: failed });
      if (said.outcome === 'fetched') metrics.increment('media_bytes_total', {}, said.media.fileSize);
      return said;
    },
  };
}

export function instrumentJobs(jobs: Jobs, measuring: Measuring): Jobs {
  return {
    every: (name, intervalMs, work) =>
      jobs.every(name, intervalMs, (stopping) => measured(name, measuring, () => work(stopping))),
    handle: (name, worker) => jobs.handle(name, (data) => measured(name, measuring, () => worker(data))),
    enqueue: (...asked) => jobs.enqueue(...asked),
    stop: () => jobs.stop(),
  };
}

async function measured(
  job: string,
  { metrics, clock }: Measuring,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = clock.monotonic();
  let outcome = 'failed';
  try {
    await work();
    outcome = 'done';
  } finally {
    metrics.increment('job_runs_total', { name: job, outcome });
    metrics.observe('job_seconds', secondsSince(startedAt, clock), { name: job });
  }
}

function secondsSince(startedAt: number, clock: Clock): number {
  return (clock.monotonic() - startedAt) / 1_000;
}
