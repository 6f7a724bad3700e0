import { bindAccounts } from './accounts/bind.ts';
import { KeyCache } from './accounts/key-cache.ts';
import { KeyUses } from './accounts/key-uses.ts';
import { ChannelCache } from './channel-cache.ts';
import { ChannelActivity } from './channels/activity.ts';
import type { Posted } from './channels/activity.ts';
import { bindChannels } from './channels/bind.ts';
import { ChannelChecks } from './channels/check-channels.ts';
import { ChannelProbes } from './channels/health.ts';
import { keepActivity } from './channels/keep-activity.ts';
import { lookAtChannel } from './channels/look-again.ts';
import { RefusedTokens } from './channels/refused-tokens.ts';
import type { RefusedToken } from './channels/refused-tokens.ts';
import { unsubscribeUnusedAsset } from './channels/unsubscribe.ts';
import { bindConnecting } from './connecting/bind.ts';
import type { UseCaseDeps, UseCasePorts } from './deps.ts';
import type { UseCases } from './index.ts';
import { bindDeliveries } from './deliveries/bind.ts';
import { bindLicences } from './licences/bind.ts';
import { TrialReminders, lapseLicences } from './licences/clock.ts';
import { bindMedia } from './media/bind.ts';
import { bindMessages } from './messages/bind.ts';
import type { JobWorkers } from './ports/jobs.ts';
import { Quarantine } from './messages/quarantine.ts';
import { parkedFactsGiver } from './messages/parked-facts.ts';
import { bindPeople } from './people/bind.ts';
import { bindOperating } from './operating/bind.ts';
import { resealSecrets } from './operating/reseal.ts';
import { onBehalfOf } from './on-behalf.ts';
import { bindRedirects } from './redirects/bind.ts';
import { TemplateCache } from './templates/template-cache.ts';
import { bindTemplates } from './templates/bind.ts';
import { dropOldTemplates } from './templates/drop-old.ts';
import { syncDueTemplates } from './templates/due-syncs.ts';
import { SharedWork } from './templates/shared-work.ts';

export type { UpstreamCalls, UseCaseSettings, UseCasePorts } from './deps.ts';

/** For the cluster: what another node has changed is forgotten here at once instead of within the caches' 1 s and 5 s. */
export interface CacheControl {
  invalidateChannel(channelId: string): void;
  invalidateKey(keyId: string): void;
}

/** What no door asks for: the node itself does. */
export interface NodeUseCases {
  caches: CacheControl;
  /** Gives parked facts to owners that are within reach again; resolves when all are given or stay for the next time. */
  giveParkedFacts(): Promise<void>;
  /** A receiver took a delivery, or did not. */
  noteDelivery(channelId: string, posted: Posted): void;
  /** Upstream takes the token of a channel no more. */
  noteRefusedToken(refused: RefusedToken): Promise<void>;
  /** Writes when channels were last heard, and keys last used, here; tells owners whose endpoints work again. */
  keepActivity(): Promise<void>;
  /** Looks at some channels whose last look was long ago; mends what it can and tells their owners of the rest. */
  checkChannels(): Promise<void>;
  /** Writes what this node has gathered of what nobody understood; drops the oldest of what all have written. */
  keepQuarantine(): Promise<void>;
  trimQuarantine(): Promise<number>;
  /** Seals long-lived secrets under the newest key. */
  resealSecrets(): Promise<void>;
  jobs: JobWorkers;
  /** Reads templates from upstream where that is due; answers for how many accounts. */
  syncDueTemplates(): Promise<number>;
  dropOldTemplates(): Promise<void>;
  /** Ends licences whose time is over, moves their channels where that is possible, and tells their owners; reminds of trials. */
  turnLicences(): Promise<void>;
}

function channelCacheOf({ stores, clock, settings: { graceMs, ownsStore } }: UseCasePorts): ChannelCache {
  return new ChannelCache(stores, clock, graceMs, ownsStore);
}

/** Every use case over these ports, area by area; a new one is bound in the `bind.ts` of its area. */
export function makeUseCases(outside: UseCasePorts): UseCases & NodeUseCases {
  const channelCache = channelCacheOf(outside);
  const keyUses = new KeyUses(outside.stores.keys);
  const deps: UseCaseDeps = {
    ...outside,
    channelCache,
    activity: new ChannelActivity(outside.stores.health),
    quarantine: new Quarantine(outside.stores.quarantine, channelCache, outside.clock),
    keyCache: new KeyCache(outside.stores.keys, outside.clock, (keyId) =>
      keyUses.used(keyId, outside.clock.now()),
    ),
    keyUses,
    templateCache: new TemplateCache(outside.clock),
    templateSyncs: new SharedWork(),
  };
  const probes = new ChannelProbes(deps);
  const checks = new ChannelChecks(deps, probes);
  const reminders = new TrialReminders(deps);
  const refusedTokens = new RefusedTokens(deps);
  const parkedFacts = parkedFactsGiver(deps);
  return {
    ...bindAccounts(deps),
    ...bindLicences(deps),
    ...bindChannels(deps, probes),
    ...bindConnecting(deps),
    ...bindDeliveries(deps),
    ...bindRedirects(deps),
    ...bindMessages(deps, probes),
    ...bindTemplates(deps),
    ...bindMedia(deps),
    ...bindOperating(deps),
    ...bindPeople(deps),
    noteDelivery: (channelId, posted) => deps.activity.delivered(channelId, posted, deps.clock.now()),
    noteRefusedToken: (refused) => refusedTokens.note(refused),
    async keepActivity() {
      await keepActivity(deps);
      await deps.keyUses.keep();
    },
    checkChannels: () => checks.look(),
    keepQuarantine: () => deps.quarantine.keep(),
    trimQuarantine: () => deps.quarantine.trim(),
    resealSecrets: () => resealSecrets(deps),
    giveParkedFacts: () => parkedFacts.look(),
    jobs: {
      'unsubscribe-asset': ({ channelId, requestId }) =>
        unsubscribeUnusedAsset(onBehalfOf(deps, requestId), channelId),
      'look-at-channel': (about) => lookAtChannel(deps, probes, about),
    },
    syncDueTemplates: () => syncDueTemplates(deps),
    dropOldTemplates: () => dropOldTemplates(deps),
    async turnLicences() {
      await lapseLicences(deps);
      await reminders.remind();
    },
    caches: {
      invalidateChannel: (channelId) => deps.channelCache.invalidate(channelId),
      invalidateKey: (keyId) => deps.keyCache.invalidate(keyId),
    },
  };
}
