/** What of the platform differs by channel type. One object per type, in its family's folder; `kinds.ts` lists them. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelProfile } from '../../domain/channels/profile.ts';
import type { ParsedPost, Part } from '../../domain/messages/facts.ts';
import type { Content } from '../../domain/messages/content.ts';
import type { UpstreamAsset } from '../../use-cases/ports/connecting.ts';
import type { Graph, GraphSettings } from './graph.ts';
import type { Json } from './wire/read.ts';

export interface UpstreamKind {
  send: SendForm;
  webhook: WebhookForm;
  connect: ConnectForm;
  /** What is asked of a person's node; none where the kind shows no profiles. [upstream §7] */
  profileFields: readonly string[];
}

/** How it sends. */
export interface SendForm {
  /** The node whose `/messages` is called; null when the channel misses it. */
  sender(channel: Channel): string | null;
  /** As JSON. */
  body(outgoing: Outgoing): object;
  /** null: the answer names no message. */
  accepted(answer: Json, outgoing: Outgoing): Accepted | null;
}

/** What is sent, apart from how. */
export interface Outgoing {
  messageId: string;
  recipient: string;
  content: Content;
}

export interface Accepted {
  upstreamId: string;
  recipientAlias: string | null;
}

/** How its webhooks are understood. */
interface WebhookForm {
  /** The `object` its POSTs carry. */
  object: string;
  /** Adds what one `entry` says, in steps; `now` stands in for a missing time. */
  takeEntry(entry: Json, out: ParsedPost, now: number): Generator<void, void>;
}

/** What a message holds, whichever way it went. At least one part. */
export interface MessageContent {
  caption: string | null;
  parts: Part[];
}

/** How it is connected. */
export interface ConnectForm {
  /** Beyond what every dialog asks for. [upstream §2.1, §2.4] */
  dialogParams(settings: DialogSettings): readonly [name: string, value: string][];
  /** What a person picked in the dialog, in upstream's order. */
  assets(graph: Graph, settings: GraphSettings, request: PickRequest): Promise<UpstreamAsset[]>;
  /** Of the call that subscribes the asset's webhooks. [upstream §2.2] */
  subscriptionQuery: Record<string, string>;
  /** Whether this item of the asset's subscriptions is our app and tells it of messages. */
  isHeardBy(app: Json, appId: string): boolean;
  /** The channel's profile as upstream shows it now; null where nothing of it changes. */
  profile(graph: Graph, channel: Channel, token: string): Promise<ChannelProfile | null>;
  /** What follows the subscription before the channel works. */
  afterSubscribe(graph: Graph, channel: Channel, token: string, appSecret: string): Promise<void>;
}

export interface DialogSettings {
  dialogUrl: string;
  version: string;
  appId: string;
  signupConfigId: string;
}

export interface PickRequest {
  code: string;
  redirectUri: string;
}
