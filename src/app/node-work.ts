import { AuditTrim } from '../features/audit/log.ts';
import type { TranscribedAttempt } from '../rules/webhooks/transcript.ts';
import { runAll } from '../kernel/serial.ts';
import type { Posted } from '../features/channels/activity.ts';
import { ChannelChecks } from '../features/channels/check-channels.ts';
import { flushActivity } from '../features/channels/flush-activity.ts';
import { followUpChanges } from '../features/channels/follow-ups.ts';
import { runProbe } from '../features/channels/probe-on-event.ts';
import { RefusedAccess } from '../features/channels/refused-access.ts';
import { RefusedNumbers } from '../features/channels/refused-numbers.ts';
import type { RefusedNumber } from '../features/channels/refused-numbers.ts';
import { DueRegistrations } from '../features/connecting/register-due.ts';
import { RefusedTokens } from '../features/channels/refused-tokens.ts';
import type { RefusedToken } from '../features/channels/refused-tokens.ts';
import { endSubscription } from '../features/channels/deactivate.ts';
import { AppWebhooksKeeper } from '../features/platform/app-webhooks.ts';
import type { AcknowledgedDelivery } from '../features/deliveries/tally.ts';
import { disableFailing } from '../features/endpoints/disable-failing.ts';
import { sweepKept } from '../features/channels/kept.ts';
import { tellChannelChanges } from '../features/channels/tell-changes.ts';
import { tellTemplateChanges } from '../features/templates/tell-changes.ts';
import { resumeReplays } from '../features/deliveries/replay.ts';
import { TrialReminders, lapseLicences } from '../features/licences/expiry.ts';
import { rebindAsIntended } from '../features/licences/rebind-channels.ts';
import { bringBackStranded, strandedFactsGiver } from '../features/messages/stranded-facts.ts';
import { underRequest } from '../features/world.ts';
import type { World } from '../features/world.ts';
import { KeyReminders } from '../features/people/ending-keys.ts';
import { AccountWordsBackfill } from '../features/accounts/account-words.ts';
import { resealSecrets } from '../features/operators/reseal.ts';
import type { JobWorkers } from '../jobs/queued.ts';
import type { EndedRequest } from '../http/options.ts';
import { ChannelWordsBackfill } from '../features/channels/note-words.ts';
import { UnconfirmedAccounts } from '../features/people/drop-unconfirmed.ts';
import { dropOldTemplates } from '../features/templates/drop-old.ts';
import { DueSyncs } from '../features/templates/sync-due.ts';

export type NodeWork = ReturnType<typeof nodeWork>;

/** What no request asks for: the node runs it by itself. */
export function nodeWork(world: World) {
  const reminders = new TrialReminders(world);
  const keyReminders = new KeyReminders(world);
  const strandedFacts = strandedFactsGiver(world);
  const auditTrim = new AuditTrim(world);
  const channelWords = new ChannelWordsBackfill(world);
  const accountWords = new AccountWordsBackfill(world);
  const unconfirmed = new UnconfirmedAccounts(world);
  const templateSyncs = new DueSyncs(world);
  const appWebhooks = new AppWebhooksKeeper(world);
  const jobs: JobWorkers = {
    'unsubscribe-asset': ({ channelId, requestId }) =>
      endSubscription(underRequest(world, requestId), channelId),
    'look-at-channel': (about) => runProbe(world, about),
    'check-app-webhooks': () => appWebhooks.run(),
  };
  return {
    ...bufferedHere(world),
    ...channelUpkeep(world),
    ...aboutApp(world, appWebhooks),
    jobs,
    /** Retries stranded facts that were put aside an hour ago. */
    bringBackStrandedFacts: () => bringBackStranded(world),
    /** Hands stranded facts to owners that are reachable again; resolves when all are handed over or left for the next call. */
    giveStrandedFacts: () => strandedFacts.run(),
    /** Seals long-lived secrets under the newest key. */
    resealSecrets: () => resealSecrets(world),
    /** Runs due syncs of templates; returns their number. */
    syncDueTemplates: () => templateSyncs.run(),
    dropOldTemplates: (stopping?: AbortSignal) => dropOldTemplates(world, stopping),
    /** Trims each account's audit log to its bound. */
    trimAudit: (stopping?: AbortSignal) => auditTrim.run(stopping),
    /** Adds accounts of earlier versions to the operators' search index. */
    backFillAccountWords: () => accountWords.run(),
    /** Adds channels of earlier versions to the search index of their accounts. */
    backFillChannelWords: () => channelWords.run(),
    dropUnconfirmed: () => unconfirmed.drop(),
    /** Tells owners of open replays: a replay may have begun under an owner that is gone. */
    resumeReplays: () => resumeReplays(world),
    /** What a change of a channel or licence left to do, if its node died or an owner was out of reach. */
    followUpChanges: () => followUpChanges(world, rebindAsIntended),
    /** Makes events of what upstream changed of channels and templates. */
    async tellChanges(): Promise<void> {
      await tellChannelChanges(world);
      await tellTemplateChanges(world);
    },
    /** Disables endpoints that fail for days. */
    disableFailingEndpoints: () => disableFailing(world),
    /** Erases payloads of given-up deliveries whose retention is over. */
    sweepKeptDeliveries: (stopping?: AbortSignal) => sweepKept(world, stopping),
    /** Ends expired licences, moves their channels to other slots if possible, and notifies accounts; reminds of ending trials and API keys. */
    async turnLicences(): Promise<void> {
      await lapseLicences(world);
      await reminders.remind();
      await keyReminders.remind();
    },
  };
}

/** What keeps channels working at upstream. */
function channelUpkeep(world: World) {
  const checks = new ChannelChecks(world);
  const registrations = new DueRegistrations(world);
  const refusedTokens = new RefusedTokens(world);
  const refusedAccess = new RefusedAccess(world);
  const refusedNumbers = new RefusedNumbers(world);
  return {
    /** Notes that upstream refused a channel's token. */
    noteRefusedToken: (refused: RefusedToken) => refusedTokens.note(refused),
    /** Notes that a send was refused as if the channel were lost. */
    noteRefusedAccess: (channelId: string) => refusedAccess.note(channelId),
    /** Notes that a send was refused because its number is not registered. */
    noteRefusedNumber: (refused: RefusedNumber) => refusedNumbers.note(refused),
    /** Checks some channels whose last check is old; repairs what it can and mails the accounts the rest. */
    checkChannels: () => checks.run(),
    /** Registers numbers that upstream refused to register before; mails the account those that it refuses for long. */
    registerDueNumbers: () => registrations.run(),
  };
}

function aboutApp({ appProblems }: World, webhooks: AppWebhooksKeeper) {
  return {
    /** Looks at the app's own webhook subscriptions, if it is time. */
    keepAppWebhooks: () => webhooks.runWhenDue(),
    /** Takes what any node has learned of the app into this node's memory. */
    refreshAppProblems: () => webhooks.refresh(),
    /** Kinds of channels that hear nothing, because of the app. */
    countAppProblems: () => appProblems.size,
  };
}

/** Records buffered in this node's memory, with their writes and trims. */
function bufferedHere(world: World) {
  const buffers = [world.quarantine, world.requestLog, world.personNames, world.transcripts];
  return {
    /** Notes the outcome of a delivery attempt. */
    noteDelivery: (channelId: string, posted: Posted) =>
      world.activity.delivered(channelId, posted, world.clock.now()),
    /** Counts a delivered webhook for the hourly figures of its account. */
    noteAcknowledged: (delivery: AcknowledgedDelivery) =>
      world.deliveryTally.acknowledged(delivery, world.clock.now()),
    noteGivenUp: (channelId: string, at: number = world.clock.now(), count: 1 | -1 = 1) =>
      world.deliveryTally.givenUp(channelId, at, count),
    /**
     * Writes the buffered activity of channels and keys and the hourly counts of deliveries; mails accounts whose endpoints work
     * again.
     */
    async flushActivity(): Promise<void> {
      await flushActivity(world);
      await world.keyUses.flush();
      await world.deliveryTally.flush();
    },
    /** Notes the transcript of an ended delivery attempt. */
    noteTranscript: (attempt: TranscribedAttempt) => world.transcripts.note(attempt),
    /** Notes an answered API request. */
    noteRequest: (request: EndedRequest) => world.requestLog.ended(request),
    /** Writes the buffered quarantine items, transcripts and requests. */
    flushBuffers: () => runAll(buffers.map((log) => () => log.flush())),
    /** Trims the stored ones by age and by number per account, channel or shape. */
    trimBuffers: (stopping?: AbortSignal) =>
      runAll(
        buffers.map((log) => () => log.trim(stopping)),
        stopping,
      ),
  };
}
