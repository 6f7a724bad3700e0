import type { Figures } from '../../src/kernel/metrics.ts';
import type { OwnershipGrant } from './ports.ts';

/**
 * What the runtime must know of a kind of actor. A turn (`decide`) is synchronous and never awaits: it changes the state in
 * place and answers with effects, plain data in the order they must happen. `perform` runs them and reports every result
 * as another message. [architecture §2.1]
 */
export interface ActorKind<State, Message, Effect> {
  /** Builds the state of a new activation from the store; called once per activation, after the lease. */
  load(key: string, lease: OwnershipGrant): Promise<State>;
  decide(state: State, message: Message, turn: Turn): Effect[];
  /** Said once when this state is forgotten, however the activation ended. */
  ended?(state: State): void;
  /** Runs effects in order. Throws only what ends the activation (FencedError); everything else is reported. */
  perform(effects: readonly Effect[], work: Work<Message>): Promise<void>;
  /** When the actor wants its alarm turn; null: never. */
  wakeAt(state: State): number | null;
  alarm: Message;
  /** Said once when the activation must hand over: claim nothing more. */
  drain: Message;
  /** Nothing is in flight: the activation may end now without losing a result. */
  isQuiet(state: State): boolean;
  /** Nothing is remembered that the store does not hold: the activation may be evicted when idle. */
  isIdle(state: State): boolean;
  /** What operators see of it; they see the sum over the actors of a node. */
  figures?(state: State, now: number): Figures;
}

export interface Turn {
  now: number;
  /** The ask this message came with; null when nobody waits. */
  ask: number | null;
}

/** What an effect may use of its activation. */
export interface Work<Message> {
  key: string;
  lease: OwnershipGrant;
  report(message: Message): void;
  answer(ask: number, reply: unknown): void;
  refuse(ask: number, error: Error): void;
  /** False once the activation is gone: long-running effects give up then. */
  isLive(): boolean;
}
