import type { Figures } from '../../src/kernel/metrics.ts';

/**
 * A kind of actor, as the runtime sees it. A turn (`decide`) is synchronous: it changes the state in place and returns effects, plain data
 * in the order they must happen. `perform` runs them and reports every result as another message. [architecture §2.1]
 */
export interface ActorKind<State, Message, Effect> {
  /** Builds the state of a new activation from the store; called once, after the grant is acquired. */
  load(key: string, grant: OwnershipGrant): Promise<State>;
  decide(state: State, message: Message, turn: Turn): Effect[];
  /** Called once when this state is dropped, however the activation ended. */
  ended?(state: State): void;
  /** Starts effects in order. Rejects only with what ends the activation (FencedError); every other failure is reported. */
  perform(effects: readonly Effect[], work: Work<Message>): Promise<void>;
  /** When the actor wants its alarm turn (wall ms); null: never. */
  wakeAt(state: State): number | null;
  alarm: Message;
  /** Sent once, when the activation must hand over: from then on the actor claims nothing. */
  drain: Message;
  /** Nothing is in flight: the activation may end now without losing a result. */
  isQuiet(state: State): boolean;
  /** The store holds everything that is remembered: the activation may be evicted. */
  isIdle(state: State): boolean;
  /** Figures for operators, who see the sum over the actors of a node. */
  figures?(state: State, now: number): Figures;
}

export interface Turn {
  now: number;
  /** The ask that this message came with; null when nobody waits. */
  ask: number | null;
}

/** What effects may use of their activation. */
export interface Work<Message> {
  key: string;
  grant: OwnershipGrant;
  report(message: Message): void;
  answer(ask: number, reply: unknown): void;
  refuse(ask: number, error: Error): void;
  /** False once the activation is gone: long-running effects give up then. */
  isLive(): boolean;
}

// What the actor runtime needs from outside.

/** The right to be the one live activation of `key`, minted by the store: the epochs of a key only grow. [architecture §4] */
export interface OwnershipGrant {
  epoch: number;
  /**
   * False once the right has ended, or this node was suspended for so long that it may have ended. Checked right before every claim and
   * upstream call.
   */
  isValid(): boolean;
  /** False while another node may have the right without this node knowing: then the store is asked after each claim. */
  isSure(): boolean;
}

export interface Ownership {
  /** Becomes the owner of `key`. Rejects with StoreUnavailable when the store or the lock service does not answer. */
  acquire(key: string): Promise<OwnershipGrant>;
  /** Releases the right after a drain; never rejects. */
  release(key: string, grant: OwnershipGrant): Promise<void>;
}
