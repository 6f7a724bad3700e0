import type { EventType } from '../events/table.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { ContentType, MediaContent, SendTag } from '../messages/content.ts';
import type { MediaType } from '../messages/message.ts';
import type { InteractiveRules } from '../messages/interactive.ts';
import type { Channel } from './channel.ts';
import type { ChannelProfile, PublicFields } from './profile.ts';

/** Everything that depends on the channel type; no other code does. [architecture §2.3] */
export interface ChannelKind {
  type: ChannelType;
  /** Noun for the connected asset. */
  noun: string;
  /** Label for people. */
  label: string;
  /** What to do after a dialog in which nothing of the kind was granted. */
  nothingGranted: string;
  /** Whether upstream must register the asset before it sends. [upstream §2.4] */
  isRegistered: boolean;
  /** Whether a person's dialog replaces what that person granted before: what is left out loses its token. [upstream §2.1] */
  replacesGrants: boolean;
  /** Hint for a person who types a recipient. */
  recipientHint: string;
  /** In code points. [spec: Limits] */
  textLimit: number;
  /** Upstream documents its limit in bytes of UTF-8, and may or may not enforce it; null: in characters. [upstream §3.3] */
  textBytes: number | null;
  /** Events that `webhook_events` may contain. [spec: Event types] */
  availableEvents: readonly EventType[];
  /**
   * The recipient in upstream's form. Throws fault `invalid_recipient` with `{reason, hint}` and, on chatapp,
   * `recipient_equals_sender`. [spec: Errors]
   */
  checkRecipient(raw: string, channel: Channel): string;
  /** Content types that can be sent. [spec: What the service does, 2] */
  canSend: ReadonlySet<ContentType>;
  /** What can be sent of texts with something to press. */
  interactive: InteractiveRules;
  /** Tags that a send may have. [upstream §3.3] */
  sendTags: ReadonlySet<SendTag>;
  /** Whether a send says if the first link of a text is shown with a preview. */
  choosesPreview: boolean;
  /** Whether a file can have a caption, a name or the form of a voice message. */
  hasCaptions: boolean;
  /** Drops a caption or filename that the kind's messages can't carry; upstream would ignore it too. [operator-interface §4] */
  fitMedia(media: MediaContent): MediaContent;
  /** Bytes of the largest file that upstream takes as an upload, by media type. [upstream §5.4] */
  uploadLimits: Readonly<Record<MediaType, number>>;
  /** MIME types without parameters, lower case, of files that may be sent as each media type: upstream takes no others. [upstream §5.4] */
  uploadTypes: Readonly<Record<MediaType, RegExp>>;
  /** Upstream's rate limit of a channel; null: undocumented, so that the actor learns it from refusals. [upstream §3.8] */
  pickPace(profile: ChannelProfile | null): Pace | null;
  /** Rate limit of audio and video, which is lower; null: none of their own. [upstream §3.8] */
  audioVideoPace: Pace | null;
  /** Rate limit from one channel to one person; null: none. */
  pairPace: Pace | null;
  /** Rank of a message after upstream's acceptance alone. */
  rankOnAccept: 1 | 2;
  /** Status events caused by the acceptance alone. */
  statusesOnAccept: readonly ('sent' | 'delivered')[];
  /** Whether upstream may know one person by several names; otherwise each id is one person. */
  peopleHaveNames: boolean;
  /** Whether a receipt may cover a conversation up to a time or message; otherwise each is about one message. [spec: Delivery status] */
  reportsConversations: boolean;
  /** Rank of an echo on arrival. */
  rankOfEcho: 1 | 2;
  /** Whether the channel has echo events, according to its profile. [spec: message.echo, rule 8] */
  hasEchoes(profile: ChannelProfile | null): boolean;
  /** Whether the number is also used in the phone's business app; null: not known. [upstream §2.4: dual-use test] */
  isOnPhone(profile: ChannelProfile | null): boolean | null;
  /** Whether an echo names its sender, by app or tag. Otherwise echoes are matched with sends in progress. [upstream §4.7, §4.8] */
  echoNamesSender: boolean;
  /** Whether `from_name` can be non-null. [spec: message.received data] */
  namesSender: boolean;
  /** Whether upstream marks voice clips and gives a SHA-256. [spec: data.media fields] */
  describesFiles: boolean;
  /** Whether upstream offers sender profiles. [spec: Sender profile] */
  showsProfiles: boolean;
  /** The upstream asset that carries the webhook subscription; null for another kind's profile. [upstream §2.2] */
  subscribedAsset(profile: ChannelProfile): string | null;
  /** The public fields that the kind has. */
  publicFields(profile: ChannelProfile | null): Partial<PublicFields>;
}

/** A rate limit: one message per `gapMs` in the long run, up to `burst` at once after a pause. */
export interface Pace {
  gapMs: number;
  burst: number;
}
