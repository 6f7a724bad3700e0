/**
 * Facts from upstream, in our words: the parser's output and the channel actor's input. Times are ms.
 * `identity` (phone number id, photoapp account id, page id) routes a fact to its channel.
 */
import type { ChannelType } from '../vocabulary.ts';
import type { Button, MessageContext } from './message-context.ts';
import type { MediaType } from './message.ts';

/** Most parts of one message; further parts are dropped. [faults: 94] */
export const maxParts = 50;

/**
 * Most parts of the facts that are handled at once: each makes an event, and a hundred messages of fifty parts would be five thousand.
 * [faults: I9]
 */
export const maxPartsAtOnce = 200;

/** The last ms that a time of upstream can mean: pages and photo accounts have also sent whole seconds. [upstream §1.6] */
export function latestMeant(at: number): number {
  return at % 1_000 === 0 ? at + 999 : at;
}

interface Routed {
  channelType: ChannelType;
  identity: string;
  /** Another name of the same channel, tried if nobody holds `identity`. */
  otherIdentity?: string;
  /** Id of the POST that brought it; resulting webhooks carry it. */
  requestId?: string;
}

/** A file at upstream, located by `mediaId` (chatapp) or `url` (pages). */
export interface UpstreamFile {
  mediaId: string | null;
  url: string | null;
  mimeType: string | null;
  filename: string | null;
  sha256: string | null;
  voice: boolean;
}

/** One part of an inbound message or echo; becomes one event. */
export type Part =
  /** `button`: the quick reply that the person pressed. */
  | { type: 'text'; text: string; button?: Button }
  | { type: MediaType | 'sticker'; file: UpstreamFile }
  | UnsupportedPart;

export interface UnsupportedPart {
  type: 'unsupported';
  unsupportedType: string;
  /** The person's choice, for a pressed button or a list row. */
  text?: string;
  button?: Button;
  /** What it holds, as JSON in our words and bounded: a place, contacts, an order, the answers of a form, a shared post. */
  content?: Readonly<Record<string, unknown>>;
  /** Upstream's word for what it does not show. */
  reason?: string;
}

export interface InboundMessage extends Routed, MessageContext {
  kind: 'inbound';
  upstreamId: string;
  from: string;
  fromName: string | null;
  at: number;
  /** Text that accompanies media; belongs to the first part. */
  caption: string | null;
  /** At least one. */
  parts: Part[];
  /** Set if an operator retries a quarantined message: its events are emitted again, once per quarantine. */
  again?: number;
}

export interface UpstreamErrorDetail {
  code: number;
  title: string;
  /** What is wrong with this message, where `title` only names the code. [operator-interface §4] */
  details?: string;
}

/** A status of one message, identified by upstream's id and, if upstream returns it, by our own id (`tag`). */
export interface Receipt extends Routed {
  kind: 'receipt';
  status: 'sent' | 'delivered' | 'read' | 'failed';
  upstreamId: string;
  tag: string | null;
  recipient: string;
  /** Business-scoped id of the recipient. */
  recipientUserId?: string;
  at: number;
  errors: UpstreamErrorDetail[];
}

/**
 * All messages to `recipient` up to a point are delivered or read. The point is a time (pagechat watermark) or a message
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

/** A message sent on the channel, by us or by somebody else; the actor decides which. */
export interface Echo extends Routed {
  kind: 'echo';
  upstreamId: string;
  recipient: string;
  at: number;
  /** App that sent it; null if upstream does not say. */
  appId: string | null;
  /** Our message id, if upstream returns it. */
  tag: string | null;
  caption: string | null;
  parts: Part[];
}

/** Upstream says that a person has another number or id from now on. */
export interface PersonChange extends Routed {
  kind: 'person';
  upstreamId: string;
  /** The number, or the id of a person without a visible one. */
  from: string;
  userId?: string;
  previousFrom?: string;
  previousUserId?: string;
  at: number;
}

/** Facts that a channel's owner handles. */
export type ChannelFact = InboundMessage | PersonChange | Receipt | ConversationReceipt | Echo;

/** Whether a person has caused the fact: a channel that may not receive drops it. The others are about messages of the business. */
export function isOfPerson(fact: ChannelFact): boolean {
  return fact.kind === 'inbound' || fact.kind === 'person';
}

/** Facts without parts count as one. */
export function countParts(fact: ChannelFact): number {
  return 'parts' in fact ? fact.parts.length : 1;
}

/** A change of a business account's template. */
export interface TemplateFact {
  kind: 'template';
  businessAccountId: string;
  templateId: string;
  at: number;
  /** `components`: its texts changed; the template must be read from upstream. */
  change:
    | { status: string; reason: string | null }
    | { category: string }
    | { quality: string }
    | { components: true };
}

/** A change of a phone number, whose details must be queried. `phoneNumber`: digits. */
export interface NumberFact {
  kind: 'number';
  businessAccountId: string;
  phoneNumber: string;
}

/** What became of a business account, or of our access to it. */
export interface AccountFact {
  kind: 'account';
  businessAccountId: string;
  /** Digits; null: it concerns every number of the account. */
  phoneNumber: string | null;
  at: number;
  /** `removed`: the access was taken from us. `limited`: restricted in nothing that messages need. `paused`, `resumed`: a number of the phone's app was registered anew there, and is back. */
  change:
    | 'removed'
    | 'deleted'
    | 'paused'
    | 'resumed'
    | 'disabled'
    | 'to-be-disabled'
    | 'reinstated'
    | 'restricted'
    | 'limited'
    | 'violated';
  /** Upstream's words for what and until when; null: none. */
  says: string | null;
  /** The app that has lost its access; absent: upstream does not say, so it is ours. */
  appId?: string;
}

export type UpstreamFact = ChannelFact | TemplateFact | NumberFact | AccountFact;

/** Facts of an asset of upstream, which concern any number of channels; the others are of one channel. */
export function isOfAsset(fact: UpstreamFact): fact is Exclude<UpstreamFact, ChannelFact> {
  return fact.kind === 'template' || fact.kind === 'number' || fact.kind === 'account';
}

/** A sample of items that were dropped unintentionally. */
export interface UnparsedItem {
  /** `unknown`: well-formed, but of an unknown kind. `unreadable`: the whole POST could not be parsed. */
  reason: 'malformed' | 'unknown' | 'unreadable';
  channelType: ChannelType | null;
  /** As in `Routed`; null if missing. */
  identity: string | null;
  /** Upstream's word for the item or its position. */
  kind: string;
  /** Structure without message text. */
  shape: string;
  /** Number of such items. */
  times: number;
}

/**
 * What upstream tells beside messages and has no event of its own: it is logged and counted, and shown in the channel's health if it says
 * something about the channel. Has no words of a person.
 */
export interface Notice {
  /**
   * `upstream_errors`: an error of the app or the account as a whole. `messages_without_content`: a message came without sender and text.
   * `policy_enforcement`: upstream has blocked the page or warned it. `test_push_received`: a test event of upstream's dashboard.
   */
  kind: 'upstream_errors' | 'messages_without_content' | 'policy_enforcement' | 'test_push_received';
  channelType: ChannelType;
  /** As in `Routed`; null if missing, or if it is a placeholder of upstream's. */
  identity: string | null;
  /** Upstream's error code, or its word for what it did. */
  detail: string | null;
}

/** A parsed POST. Unreadable items are counted and never affect the others. */
export interface ParsedPost {
  facts: UpstreamFact[];
  malformed: number;
  /** Deliberately dropped items (reactions, edits, unsends), and items of unknown kinds. */
  ignored: number;
  /** Samples of malformed and unknown items, a bounded number per POST. */
  unparsed: UnparsedItem[];
  /** A bounded number per POST. */
  notices: Notice[];
}
