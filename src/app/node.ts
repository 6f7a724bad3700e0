/** What every part of a node is started with. */
import { EventEmitter } from 'node:events';
import type { Settings } from '../../config/settings.ts';
import type { LiveEvent } from '../../actors/channel/ports.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from './metrics/index.ts';
import type { Stages } from './stages.ts';

/**
 * What a part tells others that are started after it: the actors need the store and the routes need the actors, but an event
 * of an actor goes to people who look at it, and a change on another node to what the use-cases remember.
 */
export type NodeEvents = EventEmitter<{
  /** An event of a channel, for who looks at the live feed. */
  live: [accountId: string, event: LiveEvent];
  /** Another node changed a channel or revoked a key. */
  changed: [change: { channelId: string | null; apiKeyId: string | null }];
  /** A receiver has taken a delivery of a channel, or has not. */
  posted: [channelId: string, isTaken: boolean];
  /** A node is gone: its channels may have due work that nobody looks after. */
  orphans: [];
}>;

export interface Node {
  settings: Settings;
  clock: Clock;
  log: Log;
  stages: Stages;
  metrics: Metrics;
  events: NodeEvents;
}
