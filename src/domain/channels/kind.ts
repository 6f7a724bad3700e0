import type { EventType } from '../events/table.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { ContentType, MediaContent } from '../messages/content.ts';
import type { Channel } from './channel.ts';
import type { ChannelProfile, PublicFields } from './profile.ts';

/** Everything that depends on the channel type, and nothing else does. [architecture §2.3] */
export interface ChannelKind {
  type: ChannelType;
  /** What a person connects, as a noun. */
  noun: string;
  /** What people call it. */
  label: string;
  /** What a person types as the recipient. */
  recipientHint: string;
  /** In code points. [spec: Limits] */
  textLimit: number;
  /** What `webhook_events` may name. [spec: Event types] */
  availableEvents: readonly EventType[];
  /**
   * The recipient as upstream knows it: digits only. Throws fault `invalid_recipient` with `{reason, hint}` and, on chatapp,
   * `recipient_equals_sender`. [spec: Errors]
   */
  checkRecipient(raw: string, channel: Channel): string;
  /** What can be sent through it. [spec: What the service does, 2] */
  canSend: ReadonlySet<ContentType>;
  /** Without the caption and filename that its messages can't carry: ignored as upstream would. [operator-interface §4] */
  fitMedia(media: MediaContent): MediaContent;
  /** How fast upstream lets a channel send; null: not documented, the actor learns it from upstream's refusals. [upstream §3.8] */
  pickPace(profile: ChannelProfile | null): Pace | null;
  /** The pace of audio and video, which upstream takes more slowly; null: no pace of their own. [upstream §3.8] */
  audioVideoPace: Pace | null;
  /** The pace from one channel to one person. */
  pairPace: Pace | null;
  /** Rank of a message that upstream has accepted and said nothing more about. */
  rankOnAccept: 1 | 2;
  /** Status events that the acceptance alone gives rise to. */
  statusesOnAccept: readonly ('sent' | 'delivered')[];
  /** Rank of an echo once seen. */
  rankOfEcho: 1 | 2;
  /** Whether its echoes are told, as far as its profile is known. [spec: message.echo, rule 8] */
  hasEchoes(profile: ChannelProfile | null): boolean;
  /** Whether an echo tells who sent it, by app or tag. Where it does not, what is on its way is compared. [upstream §4.7, §4.8] */
  echoNamesSender: boolean;
  /** Whether `from_name` can be anything but null. [spec: message.received data] */
  namesSender: boolean;
  /** Whether upstream marks voice clips and gives a SHA-256. [spec: data.media fields] */
  describesFiles: boolean;
  /** Whether upstream shows who its people are. [spec: Sender profile] */
  showsProfiles: boolean;
  /** The upstream asset that webhook subscriptions hang on; null for another kind's profile. [upstream §2.2] */
  subscribedAsset(profile: ChannelProfile): string | null;
  /** Those that the kind has. */
  publicFields(profile: ChannelProfile | null): Partial<PublicFields>;
}

/** How fast messages may follow each other: one in `gapMs` for good, up to `burst` of them at once after a rest. */
export interface Pace {
  gapMs: number;
  burst: number;
}
