import type { Sealer } from '../domain/accounts/sealed.ts';
import type { Tier } from '../domain/licences/subscription.ts';
import type { TemplateWindows } from '../domain/templates/limits.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Fault } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Actor } from './audit/actor.ts';
import type { KeyCache } from './accounts/key-cache.ts';
import type { KeyUses } from './accounts/key-uses.ts';
import type { Suspensions } from './accounts/suspensions.ts';
import type { ChannelActivity } from './channels/activity.ts';
import type { SenderProfiles } from './channels/sender-profiles.ts';
import type { SetupTries } from './connecting/setup-tries.ts';
import type { ChannelCache } from './channel-cache.ts';
import type { Transcripts } from './deliveries/transcripts.ts';
import type { DeliveryTally } from './deliveries/tally.ts';
import type { WebhookTestTurns } from './deliveries/test-turns.ts';
import type { PeopleLimits } from './people/limits.ts';
import type { BillingReader } from './ports/billing.ts';
import type { Quarantine } from './messages/quarantine.ts';
import type { ChannelRouter, UpstreamParser } from './ports/messages.ts';
import type { WebhookTestPoster } from './ports/delivery-log.ts';
import type { JobQueue } from './ports/jobs.ts';
import type { ClusterView } from './ports/operating.ts';
import type { ChannelProber, HealthUpstream } from './ports/health.ts';
import type { ProfileUpstream, SharedProfiles } from './ports/profiles.ts';
import type { PasswordHasher } from './ports/people.ts';
import type { Stores } from './ports/stores.ts';
import type { TemplateUpstream } from './ports/templates.ts';
import type { UpstreamAdmin } from './ports/connecting.ts';
import type { RequestLog } from './requests/request-log.ts';
import type { ShortLivedCache } from './short-lived-cache.ts';
import type { SearchTurns } from './search-turns.ts';
import type { TemplateCache } from './templates/template-cache.ts';
import type { SharedWork } from './templates/shared-work.ts';

/** Durations in ms, except `trialDays`. [operator-interface §2] */
export interface UseCaseSettings extends TemplateWindows {
  baseUrl: string;
  allowInsecure: boolean;
  /** Host names that clients and nodes reach this service by. */
  ownHosts: readonly string[];
  exchangeCodeTtlMs: number;
  setupUrlTtlMs: number;
  trialDays: number;
  trialTier: Tier;
  graceMs: number;
  /** No other process changes the store. */
  ownsStore: boolean;
  profileTtlMs: number;
  healthCheckIntervalMs: number;
  profileMissTtlMs: number;
  /** Whether people may sign up at the portal. */
  signup: boolean;
  /** Whether there is a mail server: without one no address can be proved. */
  sendsMail: boolean;
  deliveryLogMs: number;
  webhookRetryDelaysMs: readonly number[];
}

/** Calls upstream, each under an id that upstream, the log and our answer share. */
export interface UpstreamCalls {
  upstream: UpstreamAdmin;
  profiles: ProfileUpstream;
  health: HealthUpstream;
  upstreamTemplates: TemplateUpstream;
}

/** Everything the use-cases need from outside. By itself each flow of `UpstreamCalls` has a new id: what nobody asked for. */
export interface UseCasePorts extends UpstreamCalls {
  stores: Stores;
  router: ChannelRouter;
  /** The same calls under the id of a request. */
  upstreamUnder: (requestId: string) => UpstreamCalls;
  webhooks: WebhookTestPoster;
  parser: UpstreamParser;
  /** null: this node is alone. */
  sharedProfiles: SharedProfiles | null;
  sealer: Sealer;
  /** null: there is no payment provider. */
  billing: BillingReader | null;
  passwords: PasswordHasher;
  cluster: ClusterView;
  jobs: JobQueue;
  clock: Clock;
  log: Log;
  counters: Counters;
  settings: UseCaseSettings;
}

/** The ports and what this node remembers of the stores for a moment. */
export interface UseCaseDeps extends UseCasePorts {
  /** See `onBehalfOf`. */
  requestId?: string;
  /** For the audit log. undefined: nobody asked at a door. */
  actor?: Actor;
  channelCache: ChannelCache;
  keyCache: KeyCache;
  keyUses: KeyUses;
  suspensions: Suspensions;
  requestLog: RequestLog;
  searches: SearchTurns;
  templateCache: TemplateCache;
  templateSyncs: SharedWork;
  /** Why upstream did not tell an owner's first list, for a short time. */
  templatesNotTold: ShortLivedCache<Fault>;
  quarantine: Quarantine;
  activity: ChannelActivity;
  deliveryTally: DeliveryTally;
  probes: ChannelProber;
  knownProfiles: SenderProfiles;
  webhookTestTurns: WebhookTestTurns;
  transcripts: Transcripts;
  peopleLimits: PeopleLimits;
  setupTries: SetupTries;
}
