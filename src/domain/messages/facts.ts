/**
 * What upstream told us, in our words: the parser's output and the channel actor's input. Times are ms.
 * `identity` routes to the channel (phone number id, photoapp account id, page id).
 */
import type { ChannelType } from '../vocabulary.ts';
import type { MediaType } from './message.ts';

/** Parts of one message that are told; a message of thousands is no message. [faults: 94] */
export const maxParts = 50;

interface Routed {
  channelType: ChannelType;
  identity: string;
  /** Of the POST that told it: webhooks that follow carry it on. */
  requestId?: string;
}

/** A file upstream holds for us. `mediaId` (chatapp) or `url` (pages) tells where. */
export interface UpstreamFile {
  mediaId: string | null;
  url: string | null;
  mimeType: string | null;
  filename: string | null;
  sha256: string | null;
  voice: boolean;
}

/** One piece of an inbound message or echo: becomes one event. */
export type Part =
  | { type: 'text'; text: string }
  | { type: MediaType | 'sticker'; file: UpstreamFile }
  /** `text`: what a person chose who pressed a button or a row. */
  | { type: 'unsupported'; unsupportedType: string; text?: string };

export interface InboundMessage extends Routed {
  kind: 'inbound';
  upstreamId: string;
  from: string;
  fromName: string | null;
  at: number;
  /** Text that accompanies media; goes on the first part. */
  caption: string | null;
  /** At least one. */
  parts: Part[];
  /** An operator has asked for it although it was told: it is told anew, once for each time that it was put aside. */
  again?: number;
}

export interface UpstreamErrorDetail {
  code: number;
  title: string;
}

/** A status of one message, named by upstream id and, where upstream returns it, by our own id (`tag`). */
export interface Receipt extends Routed {
  kind: 'receipt';
  status: 'sent' | 'delivered' | 'read' | 'failed';
  upstreamId: string;
  tag: string | null;
  recipient: string;
  at: number;
  errors: UpstreamErrorDetail[];
}

/**
 * Everything sent to `recipient` up to a point is delivered or read. The point is a time (pagechat watermark) or a message
 * (photoapp `read.mid`). [spec: Delivery status: per conversation]
 */
export interface ConversationReceipt extends Routed {
  kind: 'conversation-receipt';
  status: 'delivered' | 'read';
  recipient: string;
  upTo: number | null;
  upToUpstreamId: string | null;
  at: number;
}

/** A message that went out on the channel, ours or somebody else's; the actor decides which. */
export interface Echo extends Routed {
  kind: 'echo';
  upstreamId: string;
  recipient: string;
  at: number;
  /** App that sent it, where upstream says so. */
  appId: string | null;
  /** Our message id, where upstream returns it. */
  tag: string | null;
  caption: string | null;
  parts: Part[];
}

/** What a channel's owner takes. */
export type ChannelFact = InboundMessage | Receipt | ConversationReceipt | Echo;

/** A template of a business account moved. */
export interface TemplateFact {
  kind: 'template';
  businessAccountId: string;
  templateId: string;
  at: number;
  /** `components`: its texts changed; the whole of it has to be asked for. */
  change:
    | { status: string; reason: string | null }
    | { category: string }
    | { quality: string }
    | { components: true };
}

/** Something about a number changed; only a query tells what. `phoneNumber`: digits. */
export interface NumberFact {
  kind: 'number';
  businessAccountId: string;
  phoneNumber: string;
}

export type UpstreamFact = ChannelFact | TemplateFact | NumberFact;

/** Something of a POST that became no fact although nobody meant to drop it. */
export interface LeftOut {
  /** `unknown`: whole, but of a kind unheard of. `unreadable`: a POST none of which could be read. */
  reason: 'malformed' | 'unknown' | 'unreadable';
  channelType: ChannelType | null;
  /** As in `Routed`; null: it says none. */
  identity: string | null;
  /** Upstream's word for what it is or where it stood. */
  kind: string;
  /** Its structure without anything a person wrote. */
  shape: string;
  /** How many such items stand for this one. */
  times: number;
}

/** A parsed POST. What can't be read is counted and never in the way of the others. */
export interface ParsedPost {
  facts: UpstreamFact[];
  malformed: number;
  /** Understood and deliberately dropped (reactions, edits, unsends), or of a kind unheard of. */
  ignored: number;
  /** Samples of what was malformed or unheard of: a bounded number for each POST. */
  leftOut: LeftOut[];
}
