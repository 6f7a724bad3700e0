import { AuditBound } from './audit/bound.ts';
import type { TranscribedAttempt } from '../domain/webhooks/transcript.ts';
import { eachInTurn } from '../kernel/each-in-turn.ts';
import type { Posted } from './channels/activity.ts';
import { ChannelChecks } from './channels/check-channels.ts';
import { keepActivity } from './channels/keep-activity.ts';
import { lookAtChannel } from './channels/look-again.ts';
import { RefusedTokens } from './channels/refused-tokens.ts';
import type { RefusedToken } from './channels/refused-tokens.ts';
import { unsubscribeUnusedAsset } from './channels/unsubscribe.ts';
import type { UseCaseDeps } from './deps.ts';
import type { Taken } from './deliveries/tally.ts';
import { sweepKept } from './deliveries/kept.ts';
import { resumeReplays } from './deliveries/replay.ts';
import { TrialReminders, lapseLicences } from './licences/clock.ts';
import { bringBackStranded, strandedFactsGiver } from './messages/stranded-facts.ts';
import { onBehalfOf } from './on-behalf.ts';
import { OlderWords } from './operating/account-words.ts';
import { resealSecrets } from './operating/reseal.ts';
import type { JobWorkers } from './ports/jobs.ts';
import type { EndedRequest } from './requests/types.ts';
import { UnprovedAccounts } from './people/drop-unproved.ts';
import { dropOldTemplates } from './templates/drop-old.ts';
import { syncDueTemplates } from './templates/due-syncs.ts';

export type NodeUseCases = ReturnType<typeof nodeUseCases>;

/** What no door asks for: the node itself does. */
export function nodeUseCases(deps: UseCaseDeps) {
  const checks = new ChannelChecks(deps);
  const reminders = new TrialReminders(deps);
  const refusedTokens = new RefusedTokens(deps);
  const strandedFacts = strandedFactsGiver(deps);
  const auditBound = new AuditBound(deps);
  const olderWords = new OlderWords(deps);
  const unproved = new UnprovedAccounts(deps);
  const jobs: JobWorkers = {
    'unsubscribe-asset': ({ channelId, requestId }) =>
      unsubscribeUnusedAsset(onBehalfOf(deps, requestId), channelId),
    'look-at-channel': (about) => lookAtChannel(deps, about),
  };
  return {
    ...gatheredHere(deps),
    jobs,
    /** For the cluster: what another node has changed is forgotten here at once instead of within the caches' 1 s and 5 s. */
    caches: {
      invalidateChannel: (channelId: string) => deps.channelCache.invalidate(channelId),
      invalidateKey: (keyId: string) => deps.keyCache.invalidate(keyId),
    },
    /** Stranded facts that could not be taken an hour ago are among the others again. */
    bringBackStrandedFacts: () => bringBackStranded(deps),
    /** Gives stranded facts to owners that are within reach again; resolves when all are given or stay for the next time. */
    giveStrandedFacts: () => strandedFacts.look(),
    /** Upstream takes the token of a channel no more. */
    noteRefusedToken: (refused: RefusedToken) => refusedTokens.note(refused),
    /** Looks at some channels whose last look was long ago; mends what it can and tells their owners of the rest. */
    checkChannels: () => checks.look(),
    /** Seals long-lived secrets under the newest key. */
    resealSecrets: () => resealSecrets(deps),
    /** Reads templates from upstream where that is due; answers for how many accounts. */
    syncDueTemplates: () => syncDueTemplates(deps),
    dropOldTemplates: () => dropOldTemplates(deps),
    /** Drops what accounts have too many of in the audit log. */
    trimAudit: () => auditBound.look(),
    /** Keeps words by which accounts of earlier versions are found. */
    keepOlderWords: () => olderWords.look(),
    dropUnproved: () => unproved.drop(),
    /** Tells owners of replays that have not ended: one may have begun under an owner that is no more. */
    resumeReplays: () => resumeReplays(deps),
    /** Erases payloads of given-up deliveries whose days are over. */
    sweepKeptDeliveries: () => sweepKept(deps),
    /** Ends licences whose time is over, moves their channels where that is possible, and tells their owners; reminds of trials. */
    async turnLicences(): Promise<void> {
      await lapseLicences(deps);
      await reminders.remind();
    },
  };
}

/** What a node notes in memory, when it is written, and what goes of it. */
function gatheredHere(deps: UseCaseDeps) {
  const gathered = [deps.quarantine, deps.requestLog, deps.transcripts];
  return {
    /** A receiver took a delivery, or did not. */
    noteDelivery: (channelId: string, posted: Posted) =>
      deps.activity.delivered(channelId, posted, deps.clock.now()),
    /** For the hours of its account. */
    noteTaken: (taken: Taken) => deps.deliveryTally.taken(taken, deps.clock.now()),
    noteGivenUp: (channelId: string) => deps.deliveryTally.givenUp(channelId, deps.clock.now()),
    /**
     * Writes when channels were last heard and keys last used here, and how many webhooks have ended; tells owners whose endpoints work
     * again.
     */
    async keepActivity(): Promise<void> {
      await keepActivity(deps);
      await deps.keyUses.keep();
      await deps.deliveryTally.keep();
    },
    /** An attempt of a delivery has ended. */
    noteTranscript: (attempt: TranscribedAttempt) => deps.transcripts.note(attempt),
    /** A call of the API was answered. */
    noteRequest: (request: EndedRequest) => deps.requestLog.ended(request),
    /** Writes what nobody understood, what was sent and answered in attempts, and which calls were answered, here. */
    keepGathered: () => eachInTurn(gathered.map((log) => () => log.keep())),
    /** Drops what all nodes have written and is too old, or too much of one account, channel or shape. */
    trimGathered: () => eachInTurn(gathered.map((log) => () => log.trim())),
  };
}
