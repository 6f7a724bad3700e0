import type { Sealer } from '../kernel/sealed.ts';
import type { Tier } from '../rules/licences/subscription.ts';
import type { TemplateWindows } from '../rules/templates/limits.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Fault } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { SerialQueues } from '../kernel/serial.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { KeyCache, KeyUses } from './accounts/key-cache.ts';
import type { Suspensions } from './accounts/suspensions.ts';
import type { ChannelActivity } from './channels/activity.ts';
import type { KnownAppProblems } from './channels/app-problems.ts';
import type { SenderProfiles } from './profiles/sender-profiles.ts';
import type { PeopleLimits } from './people/rate-limits.ts';
import type { DialogRefused } from './connecting/dialog-refusals.ts';
import type { SetupTries } from './connecting/setup-tries.ts';
import type { WebhookTestLimit } from './deliveries/webhook-test-limit.ts';
import type { ChannelCache } from './channels/channel-cache.ts';
import type { Transcripts } from './deliveries/transcripts.ts';
import type { ChannelHourCounts } from './deliveries/channel-hours.ts';
import type { DeliveryTally } from './deliveries/tally.ts';
import type { AuditFolding } from './audit/folding.ts';
import type { Quarantine } from './quarantine/quarantine.ts';
import type { JobQueue } from '../jobs/queued.ts';
import type { ClusterView } from '../ownership/cluster-view.ts';
import type { HealthUpstream } from '../upstream/health-calls.ts';
import type { ChannelProber } from './channels/prober.ts';
import type { ProfileUpstream } from '../upstream/profile-calls.ts';
import type { SharedProfiles } from './profiles/shared-profiles.ts';
import type { Stores } from './stores.ts';
import type { SignalUpstream } from '../upstream/signal-calls.ts';
import type { TemplateUpstream } from '../upstream/template-calls.ts';
import type { UploadUpstream } from '../upstream/upload-calls.ts';
import type { UpstreamApp } from '../upstream/app-calls.ts';
import type { UpstreamAdmin } from '../upstream/connecting-calls.ts';
import type { PersonNames } from './person-names/person-names.ts';
import type { RequestLog } from './requests/request-log.ts';
import type { ShortLivedCache } from '../kernel/short-lived-cache.ts';
import type { SearchQueue } from '../kernel/search-queue.ts';
import type { TemplateCache } from './templates/template-cache.ts';
import type { CoalescedRuns, SingleFlight } from '../kernel/single-flight.ts';
import type { ChannelWithSecret } from './channels/types.ts';
import type { ChannelRouter } from '../../actors/channel/asks.ts';
import type { UpstreamParser } from '../upstream/parse.ts';
import type { BillingReader } from './licences/billing-reader.ts';
import type { PasswordHasher } from './people/password-hashing.ts';
import type { WebhookTestPoster } from '../rules/outside.ts';

/** Durations in ms, except `trialDays`. [operator-interface §2] */
export interface WorldSettings extends TemplateWindows {
  baseUrl: string;
  allowInsecure: boolean;
  /** Host names under which clients and nodes reach this service. */
  ownHosts: readonly string[];
  exchangeCodeTtlMs: number;
  setupUrlTtlMs: number;
  trialDays: number;
  trialTier: Tier;
  graceMs: number;
  /** True if no other process changes the store. */
  ownsStore: boolean;
  profileTtlMs: number;
  healthCheckIntervalMs: number;
  tokenRenewBeforeMs: number;
  profileMissTtlMs: number;
  /** Whether people may sign up at the portal. */
  signup: boolean;
  /** Whether a mail server is configured: without one no address can be confirmed. */
  sendsMail: boolean;
  deliveryLogMs: number;
  digestIntervalMs: number;
  /** 0: never. */
  endpointDisabledAfterDays: number;
  webhookRetryDelaysMs: readonly number[];
  /** Whether missing webhook subscriptions of the app are made, or only reported. */
  appWebhooks: 'manage' | 'check';
  /** Whether upstream can reach `baseUrl`. */
  isReachable: boolean;
}

/** Upstream calls, each with a request id that upstream, the log and our answer share. */
export interface UpstreamCalls {
  upstream: UpstreamAdmin;
  profiles: ProfileUpstream;
  health: HealthUpstream;
  upstreamTemplates: TemplateUpstream;
  signals: SignalUpstream;
  uploads: UploadUpstream;
}

/** What the world is made of. The `UpstreamCalls` here use a new id per flow: they are for work without a request. */
export interface WorldParts extends UpstreamCalls {
  stores: Stores;
  router: ChannelRouter;
  /** Upstream calls with the id of a request. */
  upstreamUnder: (requestId: string) => UpstreamCalls;
  webhooks: WebhookTestPoster;
  upstreamApp: UpstreamApp;
  parser: UpstreamParser;
  /** null: single node. */
  sharedProfiles: SharedProfiles | null;
  sealer: Sealer;
  /** null: no payment provider is configured. */
  billing: BillingReader | null;
  passwords: PasswordHasher;
  cluster: ClusterView;
  jobs: JobQueue;
  clock: Clock;
  log: Log;
  counters: Counters;
  settings: WorldSettings;
}

/** What the functions of the features may use: a function asks for the part that it needs. With this node's caches and in-memory state. */
export interface World extends WorldParts {
  /** See `underRequest`. */
  requestId?: string;
  channelCache: ChannelCache;
  keyCache: KeyCache;
  keyUses: KeyUses;
  suspensions: Suspensions;
  requestLog: RequestLog;
  personNames: PersonNames;
  searches: SearchQueue;
  templateCache: TemplateCache;
  templateSyncs: CoalescedRuns;
  /** Recent faults of an owner's first template list, cached for a short time. */
  templatesNotTold: ShortLivedCache<Fault>;
  quarantine: Quarantine;
  auditFolding: AuditFolding;
  activity: ChannelActivity;
  deliveryTally: DeliveryTally;
  channelHours: ChannelHourCounts;
  probes: ChannelProber;
  appProblems: KnownAppProblems;
  knownProfiles: SenderProfiles;
  webhookTestLimit: WebhookTestLimit;
  transcripts: Transcripts;
  peopleLimits: PeopleLimits;
  setupTries: SetupTries;
  dialogRefused: DialogRefused;
  /** By account and code. */
  exchanges: SingleFlight<ChannelWithSecret>;
  /** By account: setup flows that lost a slot. */
  slotQueues: SerialQueues;
}

/** The same world for one request: its upstream calls and log lines carry its id. [operator-interface §4: X-Request-Id] */
export function underRequest<D extends Pick<World, 'log' | 'upstreamUnder'>>(
  world: D,
  requestId: string | undefined,
): D {
  if (requestId === undefined) return world;
  const log = world.log.child({ request_id: requestId });
  return { ...world, ...world.upstreamUnder(requestId), log, requestId };
}
