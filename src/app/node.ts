/** The dependencies that every part of a node is started with. */
import { EventEmitter } from 'node:events';
import type { Settings } from '../../config/settings.ts';
import type { TranscribedAttempt } from '../rules/webhooks/transcript.ts';
import type { AcknowledgedDelivery } from '../features/deliveries/tally.ts';
import type { Posted } from '../features/channels/activity.ts';
import type { RefusedNumber } from '../features/channels/refused-numbers.ts';
import type { RefusedToken } from '../features/channels/refused-tokens.ts';
import type { TakenDirectory } from '../storage/sqlite/index.ts';
import type { Tracing } from './tracing/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from './metrics/index.ts';
import type { Stages } from './stages.ts';
import type { EchoAnswer, EchoQuestion, LiveEvent, LiveFeed } from '../rules/outside.ts';

/**
 * Events from a part to parts that start after it: the routes need the actors, but the caches of the world need the outcomes of
 * deliveries and the changes on other nodes.
 */
type NodeEvents = EventEmitter<{
  /** Another node changed a channel or revoked a key. */
  changed: [change: { channelId: string | null; apiKeyId: string | null }];
  /** A receiver has accepted or refused a delivery of a channel. */
  posted: [channelId: string, posted: Posted];
  /** Request and response of one delivery attempt. */
  transcribed: [attempt: TranscribedAttempt];
  acknowledged: [delivery: AcknowledgedDelivery];
  /** A delivery of the channel was given up at this time, or is replayed: -1. */
  'given-up': [channelId: string, at: number, count: 1 | -1];
  /** Upstream refuses the token of a channel. */
  'token-refused': [refused: RefusedToken];
  /** A channel whose send was refused as if upstream did not know it. */
  'access-refused': [channelId: string];
  /** A send was refused because the number of its channel is not registered. */
  'registration-refused': [refused: RefusedNumber];
  /** A node has died: its channels may have due work and no owner. */
  orphans: [];
  /** The node has begun to stop, and still answers. */
  leaving: [];
  /** The lock service has granted the lease: this node may own channels. */
  leased: [];
}>;

export interface Node {
  settings: Settings;
  clock: Clock;
  log: Log;
  stages: Stages;
  metrics: Metrics;
  /** null: no spans are made. */
  tracing: Tracing | null;
  /** DATA_DIR, if it was taken earlier; null: the store takes it, or needs none. */
  directory: TakenDirectory | null;
  events: NodeEvents;
  live: LazyFeed;
  echoes: LazyEchoes;
}

/** For the actors, which start before the world is made: until then nobody answers. */
export class LazyEchoes implements EchoQuestion {
  #asked: EchoQuestion['ask'] = () => Promise.resolve('unanswered');

  open(ask: EchoQuestion['ask']): void {
    this.#asked = ask;
  }

  ask(...asked: Parameters<EchoQuestion['ask']>): Promise<EchoAnswer> {
    return this.#asked(...asked);
  }
}

/** The live feed for the actors, which start before it: until it is open, events are dropped. */
export class LazyFeed implements LiveFeed {
  #feed: LiveFeed | null = null;

  open(feed: LiveFeed): void {
    this.#feed = feed;
  }

  hasSubscribers(accountId: string): boolean {
    return this.#feed !== null && this.#feed.hasSubscribers(accountId);
  }

  publish(accountId: string, event: LiveEvent): void {
    this.#feed?.publish(accountId, event);
  }
}
