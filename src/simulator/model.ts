import type { Bag } from './bag.ts';
import type { Content, MediaFault } from './media-bytes.ts';

/** The three channel kinds. */
export type Kind = 'chatapp' | 'pagechat' | 'photoapp';

/** Scopes that were given for some of the assets only: the ids of those [upstream protocol 2.1: granular scopes]. */
export type Targets = Readonly<Record<string, readonly string[]>>;

/** A tenant of the platform: one person who logs in, one business account, some pages. */
export type Business = {
  readonly id: string;
  readonly name: string;
  readonly login: string;
  readonly loginName: string;
  readonly waba: Waba;
  readonly pages: Page[];
};

/** Where webhooks of a number or business account go instead of the app's callback. */
type Override = { readonly url: string; readonly verifyToken: string };

export type Waba = {
  readonly type: 'waba';
  readonly id: string;
  readonly name: string;
  readonly businessId: string;
  readonly phones: Phone[];
  readonly templates: Template[];
  /** Names of deleted approved templates, alone or as `name/language`, and the time (ms) until which they stay blocked. */
  readonly blockedNames: Map<string, number>;
  /** Times (ms) of the last creations, for the limit per hour. */
  creations: number[];
  subscribed: boolean;
  override: Override | null;
};

export type Phone = {
  readonly type: 'phone';
  readonly id: string;
  readonly display: string;
  readonly digits: string;
  readonly verifiedName: string;
  /** Also used in the phone's app. */
  dualUse: boolean;
  readonly waba: Waba;
  quality: string;
  /** The business profile's members that were set. */
  profile: Readonly<Record<string, unknown>>;
  /** What `/settings` and `/block_users` were told; blocked people by wa_id. */
  settings: Readonly<Record<string, unknown>>;
  readonly blocked: Map<string, BlockedUser>;
  registered: boolean;
  pin: string | null;
  override: Override | null;
  /** Theoretical arrival time (ms) of the number's throughput limit. */
  paceUntil: number;
};

export type Page = {
  readonly type: 'page';
  readonly id: string;
  readonly name: string;
  readonly businessId: string;
  photo: Photo | null;
  /** Fields the app is subscribed to; null: not subscribed. */
  fields: ReadonlySet<string> | null;
  /** Webhooks refused in a row. */
  refusals: number;
  pace: SendPace;
  /** By platform: `messenger`, `instagram`. */
  readonly messengerProfiles: Record<string, Bag>;
};

/** Theoretical arrival times (ms) of a page's limits: audio and video, and all else. */
type SendPace = { all: number; audioVideo: number };

/** A photoapp account linked to a page. */
export type Photo = {
  readonly type: 'photo';
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly page: Page;
  readonly pace: SendPace;
};

/** Whether and how upstream shows a person's profile; the README has the table. */
export const profileKinds = [
  'full',
  'nulls',
  'empty',
  'none',
  'not_permitted',
  'no_consent',
  'gone',
  'error',
] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** Somebody who writes to a business. `home` is the page or photoapp account a scoped id belongs to; null on chatapp. */
export type Person = {
  readonly type: 'person';
  readonly kind: Kind;
  readonly id: string;
  readonly home: string | null;
  readonly name: string;
  readonly userId: string | null;
  readonly username: string;
  /** Members laid over the profile it shows. */
  readonly shown: Readonly<Record<string, unknown>>;
  profile: ProfileKind;
};

/** A name and picture a page writes under. */
export type Persona = {
  readonly type: 'persona';
  readonly id: string;
  readonly pageId: string;
  readonly name: string;
  readonly pictureUrl: string;
};

/** Somebody a number blocked, as they were named; upstream's words. */
export type BlockedUser = { readonly input: string; readonly wa_id: string; readonly user_id?: string };

export type Template = {
  readonly type: 'template';
  readonly id: string;
  readonly waba: Waba;
  readonly name: string;
  readonly language: string;
  readonly parameterFormat: 'POSITIONAL' | 'NAMED';
  status: string;
  category: string;
  previousCategory: string | null;
  /** The category upstream announced and has not made true yet. */
  correctCategory: string | null;
  quality: string;
  components: readonly Bag[];
  rejectedReason: string | null;
  updatedAt: number;
  /** Times (ms) of edits made while approved. */
  edits: number[];
  /** How often it was paused. */
  pauses: number;
};

/** How a coming review ends. All given members of name and language must match; `times` 0: stays. */
export type ReviewScript = {
  readonly name: string | undefined;
  readonly language: string | undefined;
  readonly event: 'APPROVED' | 'REJECTED' | 'PENDING';
  /** The category upstream gives the template instead of the one asked for. */
  readonly category: string | undefined;
  /** Members laid over the webhook: `reason`, `rejection_info`. */
  readonly extra: Bag;
  /** Null: decided before the call is answered, without a webhook. */
  readonly afterMs: number | null;
  times: number;
};

/** Bytes behind a media id (chatapp) or a CDN link (pages). */
export type Media = {
  readonly type: 'media';
  readonly id: string;
  readonly content: Content;
  readonly mimeType: string;
  /** The type its download names instead of its own; null: its own. */
  readonly servedType: string | null;
  readonly filename: string | null;
  readonly ownerPhone: string | null;
  readonly status: number;
  readonly delayMs: number;
  /** How its download goes wrong, and how often before it is right (0: always). */
  readonly fault: MediaFault | null;
  readonly faultTimes: number;
  readonly redirectTo: string | null;
  /** Its download does not tell how long it is. */
  readonly isChunked: boolean;
  faulted: number;
  downloads: number;
  readonly createdAt: number;
  readonly signature: string;
};

export type Node = Waba | Phone | Page | Photo | Person | Persona | Template | Media;

/** What a channel id of the control API stands for. */
export type Channel = Phone | Page | Photo;

/** One send call. `n` is its number in the ledger, `status` the highest status given out. */
export type Sent = {
  n: number;
  readonly at: number;
  readonly kind: Kind;
  readonly channel: Channel;
  readonly recipient: string;
  readonly type: string;
  readonly text: string | null;
  readonly tag: string | null;
  readonly id: string | null;
  readonly outcome: 'accepted' | 'refused';
  readonly code: number | null;
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';
};

/** What is known of one channel and one person. Times in ms; 0: never. */
export type Conversation = {
  lastInboundAt: number;
  blocked: boolean;
  /** App that controls the thread; null: everybody may answer. */
  owner: string | null;
  /** Theoretical arrival time (ms) of the pair limit. */
  paceUntil: number;
  /** The last that was written outside the service, for the chat page. */
  said: {
    readonly at: number;
    readonly who: 'person' | 'business';
    readonly text: string;
    readonly id: string | null;
  }[];
  /** What the business sent and the person has not read, oldest first: upstream ids. */
  unread: { readonly id: string; readonly sent: Sent | null }[];
  /** The last the business sent: what a person's button answers. */
  lastSentId: string | null;
};

/** What the app itself subscribed to, for one webhook object. Fields null: all. */
export type AppSubscription = {
  readonly callbackUrl: string;
  readonly verifyToken: string;
  readonly fields: ReadonlySet<string> | null;
};

/** A dialog asked for: who asks, where the answer goes, what is asked. `isSignup`: chatapp by `config_id`. */
export type DialogRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly isSignup: boolean;
  readonly configId: string | undefined;
};

/** A code on its way to be exchanged, once. `at` unix ms. */
export type DialogCode = DialogRequest & {
  readonly business: Business;
  readonly assets: readonly string[];
  readonly declined: readonly string[];
  readonly targets: Targets;
  readonly at: number;
  used: boolean;
};

const kinds = { phone: 'chatapp', page: 'pagechat', photo: 'photoapp' } as const;

/** The kind a channel id stands for. */
export function kindOf(channel: Channel): Kind {
  return kinds[channel.type];
}
