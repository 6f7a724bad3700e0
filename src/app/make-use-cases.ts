import type { Fault } from '../kernel/faults.ts';
import { SerialQueues } from '../kernel/serial.ts';
import { KeyCache, KeyUses } from '../features/accounts/key-cache.ts';
import { Suspensions } from '../features/accounts/suspensions.ts';
import { useCases } from '../features/index.ts';
import { injectDeps } from '../features/world.ts';
import { ChannelCache } from '../features/channels/channel-cache.ts';
import { ChannelActivity } from '../features/channels/activity.ts';
import { ChannelProbes } from '../features/channels/health.ts';
import { KnownAppProblems } from '../features/channels/app-problems.ts';
import { SenderProfiles } from '../features/profiles/sender-profiles.ts';
import { SetupTries, WebhookTestLimit, peopleLimits } from '../features/people/rate-limits.ts';
import { Transcripts } from '../features/deliveries/transcripts.ts';
import { DeliveryTally } from '../features/deliveries/tally.ts';
import type { UseCaseDeps, UseCasePorts } from '../features/world.ts';
import type { UseCases } from '../features/index.ts';
import { Quarantine } from '../features/quarantine/quarantine.ts';
import { nodeUseCases } from './node-work.ts';
import type { NodeUseCases } from './node-work.ts';
import { RequestLog } from '../features/requests/request-log.ts';
import { SearchQueue } from '../kernel/search-queue.ts';
import { ShortLivedCache } from '../kernel/short-lived-cache.ts';
import { askAgainMs } from '../features/templates/ask-again.ts';
import type { ChannelWithSecret } from '../features/channels/types.ts';
import { AuditFolding } from '../features/audit/folding.ts';
import { CoalescedRuns, SingleFlight } from '../kernel/single-flight.ts';
import { TemplateCache } from '../features/templates/template-cache.ts';

/** Binds every use-case to these ports. */
export function makeUseCases(outside: UseCasePorts): UseCases & NodeUseCases {
  const deps = withMemory(outside);
  return { ...injected(deps), ...nodeUseCases(deps) };
}

function injected(deps: UseCaseDeps): UseCases {
  return { ...injectDeps(useCases, deps), actedBy: (actor) => injected({ ...deps, actor }) };
}

/** Adds this node's caches and in-memory state to the ports. */
function withMemory(outside: UseCasePorts): UseCaseDeps {
  const { stores, sealer, clock, settings } = outside;
  const channelCache = new ChannelCache(stores, clock, settings.graceMs, settings.ownsStore);
  const keyUses = new KeyUses(stores.keys);
  const { profileTtlMs: foundMs, profileMissTtlMs: missingMs } = settings;
  const known = {
    ...outside,
    channelCache,
    activity: new ChannelActivity(stores.health),
    appProblems: new KnownAppProblems(),
    deliveryTally: new DeliveryTally(stores.deliveryHours, stores.channels),
    quarantine: new Quarantine(stores.quarantine, channelCache, clock),
    keyCache: new KeyCache(stores.keys, clock, (keyId) => keyUses.used(keyId, clock.now())),
    keyUses,
    suspensions: new Suspensions(stores.accounts, clock),
    requestLog: new RequestLog(stores.requestLog, clock),
    searches: new SearchQueue(),
    knownProfiles: new SenderProfiles(clock, { foundMs, missingMs }, outside.sharedProfiles),
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
    exchanges: new SingleFlight<ChannelWithSecret>(),
    auditFolding: new AuditFolding(clock),
    slotQueues: new SerialQueues(),
  };
  return { ...known, probes: new ChannelProbes(known) };
}
