/** What differs between one node alone and a node of a cluster: the store, who owns a channel, and how others hear of it. */
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ChannelStore } from '../../actors/channel/ports.ts';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import type { Settings } from '../../config/settings.ts';
import type { Jobs } from '../adapters/jobs/index.ts';
import type { LiveAdapter } from '../adapters/realtime/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { CacheControl, ClusterView } from '../use-cases/bind-use-cases.ts';
import type { ChannelRouter } from '../use-cases/ports/messages.ts';
import type { RateLimiter } from '../use-cases/ports/accounts.ts';
import type { Stores } from '../use-cases/ports/stores.ts';
import type { Metrics } from './metrics.ts';
import type { Stages } from './stages.ts';

export interface PlatformOptions {
  settings: Settings;
  clock: Clock;
  log: Log;
  stages: Stages;
  metrics: Metrics;
  /** Called when a node is gone: look for due work without an owner now. */
  onOrphans(): void;
  /** Forgets what another node has changed. */
  forget(): CacheControl | null;
}

/** The platform stands in two steps, because the actors need its store, and its router needs the actors. */
export interface Platform {
  stores: Stores;
  channelState: ChannelStore;
  /** Starts routing to actors of this kind. */
  startActors(kind: ActorKind<unknown, ChannelMessage, unknown>): Promise<Routing>;
}

export interface Routing {
  router: ChannelRouter;
  cluster: ClusterView;
  /** Jobs of which the whole cluster does each once. */
  sharedJobs: Jobs;
  /** For the live feed, so that any node reaches any subscriber; null on one node. */
  liveAdapter: LiveAdapter | null;
  /** Of each API key, over all nodes. */
  rateLimiter: RateLimiter;
  channelsOwned(): number;
  isDraining(): boolean;
  /** Every part by name with its state in a word; `ready` when it can serve. */
  readiness(): Record<string, string>;
}

export const hosting = {
  mailboxCapacity: 20_000,
  idleAfterMs: 60_000,
  /** Longest an activation may take to finish what is in flight before it is left to the store. [architecture §4, Drain] */
  drainBudgetMs: 30_000,
} as const;
