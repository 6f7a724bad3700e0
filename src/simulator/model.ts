import type { Bag } from './bag.ts';
import type { LoginConfiguration } from './login-configurations.ts';
import type { Content, MediaFault } from './media-bytes.ts';

/** The three channel kinds. */
export type Kind = 'chatapp' | 'pagechat' | 'photoapp';

/** Scopes that were granted for some of the assets only, with the ids of those [upstream protocol 2.1: granular scopes]. */
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

/** Callback for the webhooks of a number or business account, instead of the app's. */
type Override = { readonly url: string; readonly verifyToken: string };

/** How sends fail after the partner was removed: as every other call (100/33), or by a missing permission. The sources disagree. */
export const lostSendCodes = [100, 10, 200] as const;
export type LostSendCode = (typeof lostSendCodes)[number];

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
  /** Times (ms) of the last management calls. */
  managed: number[];
  subscribed: boolean;
  override: Override | null;
  /** After the business removed the partner: the code of sends. Null: the partner has access. */
  lost: LostSendCode | null;
};

/** What became of a number: how far its sign-up is, and what its registration met. Times in unix ms. */
export type PhoneLife = {
  registrations: number[];
  deregistrations: number[];
  /** End of the block after too many of them. */
  blockedUntil: number;
  wrongPins: number[];
  codeStatus: string;
  nameStatus: string;
  /** Whether upstream has processed the display name: before, no certificate can be made. */
  isNameReady: boolean;
  deletedAt: number | null;
  /** Null: as usual. */
  platformType: string | null;
  throughput: string | null;
  signedUpAt: number | null;
  health: string;
};

export type Phone = {
  readonly type: 'phone';
  readonly id: string;
  readonly display: string;
  readonly digits: string;
  readonly verifiedName: string;
  /** Whether the number is also used in the phone's app. */
  dualUse: boolean;
  readonly waba: Waba;
  quality: string;
  /** Members of the business profile that were set. */
  profile: Readonly<Record<string, unknown>>;
  /** State of `/settings` and `/block_users`; blocked people by wa_id. */
  settings: Readonly<Record<string, unknown>>;
  readonly blocked: Map<string, BlockedUser>;
  registered: boolean;
  readonly life: PhoneLife;
  pin: string | null;
  override: Override | null;
  /** Theoretical arrival time (ms) of the number's throughput limit. */
  paceUntil: number;
  /** While its phone is being changed: the end (ms) and the code of sends until then. */
  offboarded: { readonly until: number; readonly code: number } | null;
};

export type Page = {
  readonly type: 'page';
  readonly id: string;
  readonly name: string;
  readonly businessId: string;
  photo: Photo | null;
  /** Fields the app is subscribed to; null: not subscribed. */
  fields: ReadonlySet<string> | null;
  pace: SendPace;
  readonly access: PageAccess;
  /** By platform: `messenger`, `instagram`. */
  readonly messengerProfiles: Record<string, Bag>;
};

/** Who may do what with a page, and where it is listed. */
export type PageAccess = {
  /** Owned by a business portfolio. */
  inPortfolio: boolean;
  /** Id of another portfolio that the page was shared with, as with an agency. */
  clientOf: string | null;
  /** Offered in the dialog, but left out of `/me/accounts`. */
  isPickerOnly: boolean;
  /** Lists show its access token. */
  hasToken: boolean;
  /** A page of the older kind. */
  isClassic: boolean;
  /** Tasks by person, of those who do not have all. */
  readonly tasks: Map<string, readonly string[]>;
};

/** Theoretical arrival times (ms) of a page's limits: for audio and video, and for all other messages. */
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

/** Whether and how upstream shows a person's profile; CONTROL.md has the table. */
export const profileKinds = [
  'full',
  'nulls',
  'empty',
  'none',
  'not_permitted',
  'no_consent',
  'gone',
  'unresolved',
  'error',
] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** Somebody who writes to a business. `home` is the page or photoapp account of a scoped id; null on chatapp. */
export type Person = {
  readonly type: 'person';
  readonly kind: Kind;
  readonly id: string;
  readonly home: string | null;
  readonly name: string;
  readonly userId: string | null;
  /** User id for a parent of several portfolios. */
  readonly parentUserId: string | null;
  /** The portfolio that `userId` is for; null: that of the first account that asks. */
  portfolio: string | null;
  /** Whether a username stands for the number until messages were exchanged. */
  readonly hidesNumber: boolean;
  readonly username: string;
  /** Members that override those of the profile. */
  readonly shown: Readonly<Record<string, unknown>>;
  profile: ProfileKind;
};

/** Name and picture under which a page writes. */
export type Persona = {
  readonly type: 'persona';
  readonly id: string;
  readonly pageId: string;
  readonly name: string;
  readonly pictureUrl: string;
};

/** Somebody whom a number blocked, as named in the call; member names are upstream's. */
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
  /** The category that upstream has announced but not applied yet. */
  correctCategory: string | null;
  quality: string;
  components: readonly Bag[];
  rejectedReason: string | null;
  updatedAt: number;
  /** Times (ms) of edits made while approved. */
  edits: number[];
  /** How often it was paused. */
  pauses: number;
  /** A locked template sends, but cannot be edited. */
  isLocked: boolean;
};

/** Outcome of coming reviews. Name and language must match if given; with `times` 0 it applies without limit. */
export type ReviewScript = {
  readonly name: string | undefined;
  readonly language: string | undefined;
  readonly event: 'APPROVED' | 'REJECTED' | 'PENDING';
  /** The category upstream gives the template instead of the one asked for. */
  readonly category: string | undefined;
  /** Members that override those of the webhook: `reason`, `rejection_info`. */
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
  /** Content type of the download; null: `mimeType`. */
  readonly servedType: string | null;
  readonly filename: string | null;
  readonly ownerPhone: string | null;
  readonly status: number;
  readonly delayMs: number;
  /** How downloads fail, and how many before they work (0: all). */
  readonly fault: MediaFault | null;
  readonly faultTimes: number;
  readonly redirectTo: string | null;
  /** The download has no Content-Length. */
  readonly isChunked: boolean;
  /** Uploaded by the business, not received from a person. */
  readonly isUpload: boolean;
  faulted: number;
  downloads: number;
  readonly createdAt: number;
  readonly signature: string;
};

export type Node = Waba | Phone | Page | Photo | Person | Persona | Template | Media;

/** A node that a channel id of the control API can name. */
export type Channel = Phone | Page | Photo;

/** One send call. `n` is its number in the ledger, `status` the highest status emitted. */
export type Sent = {
  n: number;
  readonly at: number;
  readonly kind: Kind;
  readonly channel: Channel;
  readonly recipient: string;
  readonly type: string;
  readonly text: string | null;
  readonly tag: string | null;
  /** Members of the call beyond those of a plain text or file, as they came; null: none. */
  readonly more: Bag | null;
  /** What of a template can be pressed. */
  readonly quickReplies: Offer['choices'];
  readonly id: string | null;
  readonly outcome: 'accepted' | 'refused';
  readonly code: number | null;
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';
};

/** What the business showed a person besides messages. `id`: the message, if the call named one. */
export type Signal = {
  readonly channel: string;
  readonly person: string;
  readonly id: string | null;
  readonly actions: readonly string[];
};

/** A message of the business with something to press: its upstream id, the form of an answer, and the choices. */
export type Offer = {
  readonly id: string;
  readonly as: 'button' | 'button_reply' | 'list_reply' | 'quick_reply' | 'postback';
  readonly choices: readonly {
    readonly id: string;
    readonly title: string;
    readonly description: string | undefined;
  }[];
};

/** State of one channel and one person. Times in ms; 0: never. */
export type Conversation = {
  lastInboundAt: number;
  lastSentAt: number;
  /** The last time the person wrote after the business had. */
  exchangedAt: number;
  blocked: boolean;
  /** App that controls the thread; null: everybody may answer. */
  owner: string | null;
  /** Theoretical arrival time (ms) of the pair limit. */
  paceUntil: number;
  /** The last messages written outside the service, for the chat page. */
  said: {
    readonly at: number;
    readonly who: 'person' | 'business';
    readonly text: string;
    readonly id: string | null;
  }[];
  /** Messages of the business that the person has not read, oldest first, by upstream id. */
  unread: { readonly id: string; readonly sent: Sent | null }[];
  /** The last message of the business: a pressed button replies to it. */
  lastSentId: string | null;
  /** The last one with something to press; null: none. */
  offer: Offer | null;
};

/** The app's own subscription to one webhook object. Fields null: all. */
export type AppSubscription = {
  readonly callbackUrl: string;
  readonly verifyToken: string;
  readonly fields: ReadonlySet<string> | null;
  /** Number of consecutive webhooks of a page or photoapp account that were refused. */
  refusals: number;
  /** False: switched off after too many refusals. */
  isActive: boolean;
};

/** The parameters of a dialog: the app, the redirect, the scopes. `isSignup`: chatapp by `config_id`. */
export type DialogRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly isSignup: boolean;
  readonly configId: string | undefined;
  readonly configuration: LoginConfiguration | undefined;
  /** The redirect carries the token itself, in its fragment. */
  readonly isTokenAnswer: boolean;
};

/** A code that can be exchanged once. `at` is unix ms. */
export type DialogCode = DialogRequest & {
  readonly business: Business;
  readonly assets: readonly string[];
  readonly declined: readonly string[];
  readonly targets: Targets;
  readonly isOpen: boolean;
  readonly at: number;
  used: boolean;
};

const kinds = { phone: 'chatapp', page: 'pagechat', photo: 'photoapp' } as const;

/** The kind of a channel. */
export function kindOf(channel: Channel): Kind {
  return kinds[channel.type];
}
