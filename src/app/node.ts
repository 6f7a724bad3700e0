/** What every part of a node is started with. */
import { EventEmitter } from 'node:events';
import type { Settings } from '../../config/settings.ts';
import type { TranscribedAttempt } from '../domain/webhooks/transcript.ts';
import type { Taken } from '../use-cases/deliveries/tally.ts';
import type { Posted } from '../use-cases/channels/activity.ts';
import type { RefusedToken } from '../use-cases/channels/refused-tokens.ts';
import type { TakenDirectory } from '../adapters/storage/sqlite/index.ts';
import type { LazyFeed } from './lazy-feed.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from './metrics/index.ts';
import type { Stages } from './stages.ts';

/**
 * What a part tells others that are started after it: the routes need the actors, but what becomes of a delivery goes to what the
 * use-cases remember, and so does a change on another node.
 */
type NodeEvents = EventEmitter<{
  /** Another node changed a channel or revoked a key. */
  changed: [change: { channelId: string | null; apiKeyId: string | null }];
  /** A receiver has taken a delivery of a channel, or has not. */
  posted: [channelId: string, posted: Posted];
  /** What was sent and answered in an attempt of a delivery. */
  transcribed: [attempt: TranscribedAttempt];
  taken: [taken: Taken];
  /** A delivery of the channel was given up. */
  'given-up': [channelId: string];
  /** Upstream takes the token of a channel no more. */
  'token-refused': [refused: RefusedToken];
  /** A node is gone: its channels may have due work that nobody looks after. */
  orphans: [];
  /** The lock service answers: this node may own channels. */
  leased: [];
}>;

export interface Node {
  settings: Settings;
  clock: Clock;
  log: Log;
  stages: Stages;
  metrics: Metrics;
  /** DATA_DIR, where it was taken before; null: the store takes it, or needs none. */
  directory: TakenDirectory | null;
  events: NodeEvents;
  live: LazyFeed;
}
