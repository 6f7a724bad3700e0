import type { Fault } from '../kernel/faults.ts';
import { SerialQueues } from '../kernel/serial.ts';
import { KeyCache, KeyUses } from '../features/accounts/key-cache.ts';
import { Suspensions } from '../features/accounts/suspensions.ts';
import { ChannelCache } from '../features/channels/channel-cache.ts';
import { ChannelActivity } from '../features/channels/activity.ts';
import { ChannelProbes } from '../features/channels/health.ts';
import { KnownAppProblems } from '../features/channels/app-problems.ts';
import { SenderProfiles } from '../features/profiles/sender-profiles.ts';
import { peopleLimits } from '../features/people/rate-limits.ts';
import { tellDialogRefused } from '../features/connecting/dialog-refusals.ts';
import { SetupTries } from '../features/connecting/setup-tries.ts';
import { WebhookTestLimit } from '../features/deliveries/webhook-test-limit.ts';
import { Transcripts } from '../features/deliveries/transcripts.ts';
import { ChannelHourCounts } from '../features/deliveries/channel-hours.ts';
import { DeliveryTally } from '../features/deliveries/tally.ts';
import type { World, WorldParts } from '../features/world.ts';
import { Quarantine } from '../features/quarantine/quarantine.ts';
import { PersonNames } from '../features/person-names/person-names.ts';
import { RequestLog } from '../features/requests/request-log.ts';
import { SearchQueue } from '../kernel/search-queue.ts';
import { ShortLivedCache } from '../kernel/short-lived-cache.ts';
import { askAgainMs } from '../features/templates/ask-again.ts';
import type { ChannelWithSecret } from '../features/channels/types.ts';
import { AuditFolding } from '../features/audit/folding.ts';
import { CoalescedRuns, SingleFlight } from '../kernel/single-flight.ts';
import { TemplateCache } from '../features/templates/template-cache.ts';

/** The parts with this node's caches and in-memory state. */
export function makeWorld(parts: WorldParts): World {
  const { stores, sealer, clock, settings } = parts;
  const channelCache = new ChannelCache(stores, clock, settings.graceMs, settings.ownsStore);
  const keyUses = new KeyUses(stores.keys);
  const searches = new SearchQueue();
  const { profileTtlMs: foundMs, profileMissTtlMs: missingMs } = settings;
  const known = {
    ...parts,
    channelCache,
    activity: new ChannelActivity(stores.health),
    appProblems: new KnownAppProblems(),
    deliveryTally: new DeliveryTally(stores.deliveryHours, stores.channels),
    quarantine: new Quarantine(stores.quarantine, channelCache, clock),
    keyCache: new KeyCache(stores.keys, clock, (keyId, address) => keyUses.used(keyId, clock.now(), address)),
    keyUses,
    suspensions: new Suspensions(stores.accounts, clock),
    requestLog: new RequestLog(stores.requestLog, clock),
    personNames: new PersonNames(stores.personNames, clock, settings.deliveryLogMs),
    searches,
    channelHours: new ChannelHourCounts({ log: stores.deliveryLog, searches, clock }),
    knownProfiles: new SenderProfiles(clock, { foundMs, missingMs }, parts.sharedProfiles),
    templateCache: new TemplateCache(clock),
    templateSyncs: new CoalescedRuns(),
    templatesNotTold: new ShortLivedCache<Fault>({ max: 1_000, ttlMs: askAgainMs, clock }),
    webhookTestLimit: new WebhookTestLimit(clock),
    transcripts: new Transcripts({
      store: stores.transcripts,
      sealer,
      clock,
      keptMs: settings.deliveryLogMs,
    }),
    peopleLimits: peopleLimits(clock),
    setupTries: new SetupTries(clock),
    dialogRefused: tellDialogRefused(clock, parts.log),
    exchanges: new SingleFlight<ChannelWithSecret>(),
    auditFolding: new AuditFolding(clock),
    slotQueues: new SerialQueues(),
  };
  return { ...known, probes: new ChannelProbes(known) };
}
