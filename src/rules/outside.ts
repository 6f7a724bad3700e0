/** The outside world besides the store, as a channel needs it. */
import type { Channel } from './channels/channel.ts';
import type { Settings } from './channels/settings.ts';
import type { Content } from './messages/content.ts';
import type { UpstreamOutcome } from './messages/upstream-outcome.ts';
import type { Envelope } from './events/built.ts';
import type { FetchedMedia, FileType } from './events/content-blocks.ts';
import type { InboundMessage, UpstreamFile } from './messages/facts.ts';
import type { EventType } from './events/table.ts';
import type { SealedText } from '../kernel/sealed.ts';
import type { EndpointNote, EndpointSettings } from './webhooks/endpoints.ts';
import type { SealedHeaders } from './webhooks/own-headers.ts';
import type { Signatures } from './webhooks/signature.ts';

export interface UpstreamCall {
  channel: Channel;
  messageId: string;
  recipient: string;
  content: Content;
  /** The call is aborted after this many ms, with outcome `unknown`. */
  timeoutMs: number;
  /**
   * Asked right before the first byte is sent: a call that waited for a connection must not go out if another node owns the channel by
   * then. [faults: 6, 7]
   */
  mayStart?: () => boolean;
  /** Id of the client's request; null: unknown, for example after a restart. */
  requestId?: string | null;
}

export interface Upstream {
  /** One send call. Never rejects: every failure is an outcome. */
  send(call: UpstreamCall): Promise<UpstreamOutcome>;
}

/** A file of an inbound message, to be fetched from upstream. */
export interface FileRequest {
  channel: Channel;
  type: FileType;
  file: UpstreamFile;
  /** Id of the upstream POST that reported the message. */
  requestId?: string;
  /** Attempts of this owner before this one. */
  earlierTries?: number;
}

/**
 * `error` is shown to the client: a sentence of ours, never text of the remote host. `mayPass`: a retry may succeed. `busy`: this node had
 * no free slot, and nothing was tried.
 */
export type FileOutcome =
  | { outcome: 'fetched'; media: FetchedMedia }
  | { outcome: 'failed'; error: string; mayPass: boolean }
  | { outcome: 'busy' };

export interface FileFetcher {
  /**
   * One attempt, bounded in size and time; the file is stored when the promise resolves. Never rejects. When `left` is aborted the fetch
   * ends, and its outcome is ignored. [upstream §5]
   */
  fetch(request: FileRequest, left: AbortSignal): Promise<FileOutcome>;
}

/** `unanswered`: upstream may answer later. `unanswerable`: nobody can tell, for example because the token is refused. */
export type EchoAnswer = 'has-echoes' | 'has-none' | 'unanswered' | 'unanswerable';

export interface EchoQuestion {
  /** Asks upstream whether the channel has echoes. The answer is never older than this call. Never rejects. */
  ask(channel: Channel, requestId?: string): Promise<EchoAnswer>;
}

export interface WebhookPost {
  /** The owner of the delivery: a channel, or an endpoint of one. */
  channelId: string;
  url: string;
  /** null: the POST is unsigned. [spec: Authentication 7] */
  secret: SealedText | null;
  /** The previous secret, while it still signs too. */
  previousSecret?: SealedText | null;
  /** Of an endpoint: beside ours. */
  headers?: SealedHeaders | null;
  deliveryId: string;
  /** null: no request caused the event. */
  requestId?: string | null;
  /** Number of the attempt; 1 is the first. */
  attempt: number;
  /** When the event reached the service, in ms. */
  since: number;
  /** The receiver fails repeatedly: the POST waits for one of the slots that failing receivers share. */
  isFailing: boolean;
  /** Fields of the attempt log besides the result; omitted: the attempt is not logged. */
  logged?: LoggedAttempt;
  body: Uint8Array;
}

/** `startedAt` in ms. Its channel says whether a 2xx is logged. */
interface LoggedAttempt {
  channel: Channel;
  startedAt: number;
}

export type WebhookResult =
  | { ok: true; status: number }
  /**
   * `reason`: `status`, `timeout`, `refused address`, `connection`, …: never text of the receiver. `busy`: this node had no free slot, and
   * nothing was tried.
   */
  | {
      ok: false;
      status: number | null;
      reason: string;
      /** For the log only, where `reason` says less to the tenant. [faults: 58] */
      cause?: string;
    };

/** As it is stored with the delivery: the status of the answer, or why there was none. */
export function storedResult(result: WebhookResult): string {
  return result.ok ? String(result.status) : (result.status?.toString() ?? result.reason);
}

/** `reason` of an attempt that could not be made because the key of the payload is gone. [faults: I4] */
export const unreadable = 'payload unreadable';

export interface WebhookPoster {
  /** One attempt, within the 5 s. Never rejects. [spec: Delivery and retry] */
  post(post: WebhookPost): Promise<WebhookResult>;
}

/** An event as the live feed shows it. A forwarder sends exactly these bytes under this id and signature. */
export interface LiveEvent {
  envelope: Envelope;
  /** The id of the delivery, sent as `X-Webhook-Id`. */
  deliveryId: string;
  /**
   * The signatures of the envelope's JSON at this time (Unix seconds); null: unsigned. Computed only when a subscriber exists. The secret
   * itself never leaves the service.
   */
  sign: (timestamp: number) => Signatures | null;
}

/** The live event feed of an account. */
export interface LiveFeed {
  /** False: no node has a subscriber of this account's feed, so the event need not be built. */
  hasSubscribers(accountId: string): boolean;
  /** Publishes once per delivery id, however often this is called. */
  publish(accountId: string, event: LiveEvent): void;
}

/** A message whose file fetches have ended the nodes that made them. [faults: 102] */
export interface QuarantinedMessage {
  channel: Channel;
  id: string;
  fact: InboundMessage;
  tries: number;
}

/** A delivery whose POSTs have ended the nodes that made them. */
interface QuarantinedDelivery {
  channel: Channel;
  /** Whose delivery it is: the channel's, or that of an endpoint of it. */
  ownerId: string;
  id: string;
  event: EventType;
  messageId: string;
  requestId: string | null;
  /** The envelope, as JSON. */
  body: string;
  tries: number;
}

export type QuarantinedWork =
  | ({ kind: 'files' } & QuarantinedMessage)
  | ({ kind: 'delivery' } & QuarantinedDelivery);

export interface Quarantine {
  /** Resolves when the item is stored for operators; repeating it only updates its count. */
  add(item: QuarantinedWork): Promise<void>;
}

/** Makes one POST to a receiver, signed and with the address guard of every delivery. Never throws. */
export interface WebhookTestPoster {
  post(
    post: Omit<WebhookPost, 'since' | 'isFailing'>,
  ): Promise<{ ok: true; status: number } | { ok: false; status: number | null; reason: string }>;
}

/** Where what upstream changes of a channel goes that has no webhook_url of its own. [spec: Additions, A default webhook] */
export interface AccountReceiver {
  /** The account's default as it is now, as the channel's own settings, that list no event but changes; null: there is none. */
  of(channel: Channel): Promise<AccountReceiverSettings | null>;
}

export type AccountReceiverSettings = Pick<
  Settings & Channel,
  'webhookUrl' | 'webhookSecret' | 'webhookEvents' | 'previousSecret' | 'previousSecretUntil'
>;

/** The further endpoints of channels. [spec: Additions, Endpoints] */
export interface Receivers {
  /** Those of the channel that take events. */
  of(channelId: string): Promise<readonly EndpointNote[]>;
  /** Owners of what is logged of endpoints of the channel, also of those that are disabled or removed. */
  logged(channelId: string): Promise<readonly string[]>;
  /** null: it is gone, or takes no events. */
  settings(channelId: string, endpointId: string): Promise<EndpointSettings | null>;
}
