/** Everything one can say to a channel, and what it answers. Asks and tells are plain data: they cross the link between nodes. */
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { OutboundMessage } from '../../src/domain/messages/message.ts';
import type { SendAnswer } from '../../src/domain/messages/send-answer.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
import type {
  ChannelSettings,
  FileOutcome,
  InboundPage,
  UnmatchedFact,
  KnownMessage,
  ToldMessage,
  LoadedChannel,
  PendingDelivery,
  WebhookResult,
} from './ports.ts';
import type { OpenedMessage } from './sends/state.ts';

/** What others ask and wait for. */
export type ChannelAsk =
  | { type: 'send'; messageId: string; recipient: string; content: Content; requestId?: string }
  /** Answered when everything that follows from the facts is durable. [architecture §6.1] */
  | { type: 'take-facts'; facts: ChannelFact[] }
  /** Channel, licence or webhook settings were changed in the store; answered once they hold here. */
  | { type: 'reload' }
  | { type: 'inspect' }
  /** One attempt now; as the store has it. Refused when the event is no longer asked for. */
  | { type: 'retry-delivery'; delivery: PendingDelivery };

export interface ChannelReplies {
  send: SendReply;
  'take-facts': FactsTaken;
  reload: { status: 'reloaded' };
  inspect: ChannelInsight;
  'retry-delivery': { status: 'retrying' };
}

/** [spec: Message send state] */
export type SendReply = SendAnswer;

export interface FactsTaken {
  taken: number;
  /** Inactive channel or licence: not received, counted. */
  dropped: number;
}

/** For operators. */
export interface ChannelInsight {
  epoch: number;
  sendsOpen: number;
  sendsWaiting: number;
  deliveriesPending: number;
  factsHeld: number;
  /** Files of messages that are remembered: waiting, or on their way. */
  filesOpen: number;
}

/** What others say without waiting. */
export type ChannelTell =
  /** As `reload`, for who need not wait. */
  | { type: 'settings-changed' }
  /** The sweeper found due work in the store: activation alone looks at it. */
  | { type: 'wake' };

/** What the actor's own effects report back, and the runtime's two words. */
export type EffectResult =
  /** `request` counts the loads: an older answer never replaces a newer one. */
  | { type: 'settings-loaded'; request: number; settings: ChannelSettings | null; ask: number | null }
  /**
   * A claim has ended. `claimed`: it is on record and the call on its way: from now on the message id is final. `unanswered`:
   * the store did not say; nothing was called, but the claim may be on record.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'claimed' | 'unanswered' }
  /**
   * `lost`: the claim did not apply, nothing was called. `withdrawn`: the id is taken for good and will never be sent. `found`:
   * who had it before; looked up for a first claim only.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'lost' | 'withdrawn'; found: KnownMessage | null }
  /** As for a claim. */
  | { type: 'park-ended'; messageId: string; outcome: 'parked' | 'unanswered' }
  | { type: 'park-ended'; messageId: string; outcome: 'lost'; found: KnownMessage | null }
  | { type: 'send-result'; messageId: string; attempt: number; outcome: UpstreamOutcome }
  /** The outcome of the last call is durable. */
  | { type: 'send-recorded'; messageId: string }
  /** Of these ids the ones the store still holds open, and what an earlier owner has left there late. */
  | { type: 'reloaded'; messageIds: string[]; open: OutboundMessage[]; left: LeftBehind }
  | {
      type: 'facts-resolved';
      job: number;
      known: ToldMessage[];
      conversations: KnownMessage[][];
      delivered: string[];
    }
  /** `again`: facts that need another round. */
  | { type: 'facts-ended'; job: number; outcome: 'committed'; again: ChannelFact[] }
  /** They could not be looked up or written. `mayBeStored`: the commit may be on record all the same. */
  | { type: 'facts-ended'; job: number; outcome: 'failed'; mayBeStored: boolean }
  | { type: 'file-ended'; inboundId: string; part: number; outcome: FileOutcome }
  /** Their events are on record. */
  | { type: 'inbound-told'; inboundIds: string[] }
  | ({ type: 'inbound-loaded' } & InboundPage)
  /** `payload` null: it is not certain that they are new; claim them first. */
  | { type: 'deliveries-added'; added: { delivery: PendingDelivery; payload: Uint8Array | null }[] }
  | { type: 'post-ended'; deliveryId: string; outcome: 'answered'; startedAt: number; result: WebhookResult }
  /** No attempt was made. `lost`: the claim did not apply. `postponed`: the store could not be asked, or the lease may be over. */
  | { type: 'post-ended'; deliveryId: string; outcome: 'lost' | 'postponed' }
  /** The outcome is durable; `ended`: there are no more attempts. */
  | { type: 'attempt-recorded'; deliveryId: string; ended: boolean }
  | { type: 'deliveries-loaded'; deliveries: PendingDelivery[]; storeHasMoreDeliveries: boolean }
  | { type: 'alarm' }
  | { type: 'drain' };

export interface LeftBehind extends Omit<LoadedChannel, 'openMessages' | 'unmatched' | 'hasPendingInbound'> {
  unmatched: UnmatchedFact[];
  inbound: InboundPage;
  sends: OpenedMessage[];
}

export type ChannelMessage = ChannelAsk | ChannelTell | EffectResult;
