/** What a channel asks of the world beside its store. */
import type { Channel } from '../../../src/domain/channels/channel.ts';
import type { Content } from '../../../src/domain/messages/content.ts';
import type { UpstreamOutcome } from '../../../src/domain/messages/upstream-outcome.ts';
import type { Envelope } from '../../../src/domain/events/built.ts';
import type { FetchedMedia, FileType } from '../../../src/domain/events/content-blocks.ts';
import type { InboundMessage, UpstreamFile } from '../../../src/domain/messages/facts.ts';
import type { EventType } from '../../../src/domain/events/table.ts';
import type { SealedText } from '../../../src/domain/accounts/sealed.ts';

export interface UpstreamCall {
  channel: Channel;
  messageId: string;
  recipient: string;
  content: Content;
  /** The call is given up (outcome `unknown`) after this many ms. */
  timeoutMs: number;
  /**
   * Asked right before the first byte leaves: a call that had to wait for a connection must not go out when another owns the
   * channel by then. [faults: 6, 7]
   */
  mayStart?: () => boolean;
  /** Of the request that asked for it; null: not known any more. */
  requestId?: string | null;
}

export interface Upstream {
  /** One send call. Never throws: whatever happens is an outcome. */
  send(call: UpstreamCall): Promise<UpstreamOutcome>;
}

/** A file of an inbound message that upstream holds for us. */
export interface FileRequest {
  channel: Channel;
  type: FileType;
  file: UpstreamFile;
  /** Of the POST that told of it. */
  requestId?: string;
}

/**
 * `error` is shown to the client: a sentence of ours, never what a host said. `mayPass`: another try may do. `busy`: there was no place
 * on this node, and nothing was tried.
 */
export type FileOutcome =
  | { outcome: 'fetched'; media: FetchedMedia }
  | { outcome: 'failed'; error: string; mayPass: boolean }
  | { outcome: 'busy' };

export interface FileFetcher {
  /**
   * One attempt, bounded in size and time; what was fetched is stored when it resolves. Never rejects. Once `left` is aborted nobody
   * hears of its outcome, and it ends. [upstream §5]
   */
  fetch(request: FileRequest, left: AbortSignal): Promise<FileOutcome>;
}

export interface WebhookPost {
  channelId: string;
  url: string;
  /** null: unsigned. [spec: Authentication 7] */
  secret: SealedText | null;
  /** The secret before, while it signs too. */
  previousSecret?: SealedText | null;
  deliveryId: string;
  /** null: nobody's. */
  requestId?: string | null;
  /** 1 for the first. */
  attempt: number;
  /** When its event came to us, ms. */
  since: number;
  /** The receiver fails again and again: it waits for a place among its like. */
  isFailing: boolean;
  /** What the attempt log has of it beside its result; left out: the attempt is not logged. */
  logged?: LoggedAttempt;
  body: Uint8Array;
}

/** `startedAt`: as the attempt log has it. A 2xx is not logged unless `keepAnswers`. */
interface LoggedAttempt {
  accountId: string;
  startedAt: number;
  keepAnswers: boolean;
}

export type WebhookResult =
  | { ok: true; status: number }
  /**
   * `reason`: `status`, `timeout`, `refused address`, `connection`, …: never anything the receiver said. `busy`: there was no place
   * on this node, and nothing was tried.
   */
  | { ok: false; status: number | null; reason: string };

/** Why an attempt could not be made: the key of its payload is gone. [faults: I4] */
export const unreadable = 'payload unreadable';

export interface WebhookPoster {
  /** One attempt, within the 5 s. Never throws. [spec: Delivery and retry] */
  post(post: WebhookPost): Promise<WebhookResult>;
}

export type { Sealer } from '../../../src/domain/accounts/sealed.ts';

/** An event as the feed shows it. Whoever forwards it sends these very bytes under this id and signature. */
export interface LiveEvent {
  envelope: Envelope;
  /** The delivery's own: `X-Webhook-Id`. */
  deliveryId: string;
  /**
   * The value of `X-Webhook-Signature` for the envelope's JSON; null: unsigned. Asked only when somebody looks. The secret itself
   * never leaves the service.
   */
  sign: () => string | null;
}

/** The live event feed of an account. */
export interface LiveFeed {
  /** False: nobody looks at this account's events, on any node: not worth building one. */
  isWatched(accountId: string): boolean;
  /** Once for each delivery id, however often it is said. */
  publish(accountId: string, event: LiveEvent): void;
}

/** A message whose files have ended the nodes that fetched them. [faults: 102] */
export interface AsideMessage {
  channel: Channel;
  id: string;
  fact: InboundMessage;
  tries: number;
}

/** A delivery whose POSTs have ended the nodes that made them. */
interface AsideDelivery {
  channel: Channel;
  id: string;
  event: EventType;
  messageId: string;
  requestId: string | null;
  /** Its envelope, as JSON. */
  body: string;
  tries: number;
}

export type SetAside = ({ kind: 'files' } & AsideMessage) | ({ kind: 'delivery' } & AsideDelivery);

export interface Aside {
  /** On record, for operators, once it resolves; the same again changes nothing but its count. */
  put(item: SetAside): Promise<void>;
}
