/** What differs by channel type at the upstream platform: one object per type, in the folder of its family; `kinds.ts` lists them. */
import type { Channel } from '../rules/channels/channel.ts';
import type { NewProblem, UpstreamProblemCode } from '../rules/channels/upstream-problems.ts';
import type { ChannelProfile } from '../rules/channels/profile.ts';
import type { ParsedPost, Part } from '../rules/messages/facts.ts';
import type { Content } from '../rules/messages/content.ts';
import type { RecipientNames } from '../rules/messages/recipient-names.ts';
import type { PickedAssets, Registration } from './connecting-calls.ts';
import type { Log } from '../kernel/log.ts';
import type { Graph, GraphSettings } from './graph.ts';
import type { Signal, Signalled } from './signal-calls.ts';
import type { FileToUpload } from './upload-calls.ts';
import type { Json } from './read.ts';

export interface UpstreamKind {
  send: SendForm;
  webhook: WebhookForm;
  connect: ConnectForm;
  upload: UploadForm;
  /** The body of a signal, POSTed where messages are. */
  signalBody(signal: Signal, about: Signalled): Json;
  /** Fields requested from a person's node; empty for a kind without profiles. [upstream §7] */
  profileFields: readonly string[];
}

/** How a kind sends. */
export interface SendForm {
  /** The node whose `/messages` is called; null if the channel does not name it. */
  sender(channel: Channel): string | null;
  /** The body, before JSON.stringify. */
  body(outgoing: Outgoing): object;
  /** The id of the message in upstream's answer, and how it names the recipient; null if it names no message. */
  accepted(answer: Json, recipient: string): Accepted | null;
}

/** How a kind takes a file in advance of the message that shows it. */
export interface UploadForm {
  /** Edge of the node that sends. */
  edge: 'media' | 'message_attachments';
  /** The fields beside the file. */
  fields: (file: Pick<FileToUpload, 'mediaType' | 'mimeType'>) => Readonly<Record<string, string>>;
  fileField: 'file' | 'filedata';
  /** Type and name under which upstream takes the file. Without a name it would take the field for a text. */
  named: (file: FileToUpload) => NamedFile;
  /** Member of the answer that has the id. */
  idMember: 'id' | 'attachment_id';
}

export interface NamedFile {
  mimeType: string;
  filename: string;
}

export type Accepted = { upstreamId: string } & RecipientNames;

/** The content of a send, independent of the kind. */
export interface Outgoing {
  messageId: string;
  recipient: string;
  content: Content;
}

/** How a kind's webhooks are parsed. */
interface WebhookForm {
  /** Value of `object` in its POSTs. */
  object: string;
  /** The app may have a second secret, which signs these POSTs and no others. */
  isSignedApart?: true;
  /** Adds the facts of one `entry` to `out`, in steps; `now` replaces a missing time. */
  takeEntry(entry: Json, out: ParsedPost, now: number): Generator<void, void>;
}

/** Content of a message, in either direction. Has at least one part. */
export interface MessageContent {
  caption: string | null;
  parts: Part[];
}

/** Problems that upstream shows, and the codes that it was asked about: of those, the others are over. */
export interface Conditions {
  problems: readonly NewProblem[];
  lookedFor: readonly UpstreamProblemCode[];
}

/** `saysEchoes`: upstream said whether the channel has echoes; otherwise the profile has what was known. */
export interface ProfileRead {
  profile: ChannelProfile;
  saysEchoes: boolean;
}

/** How a kind is connected. */
export interface ConnectForm {
  /** Whether the settings that its dialog needs are there. */
  isConfigured(settings: DialogSettings): boolean;
  /** Dialog parameters beyond those of every kind. [upstream §2.1, §2.4] */
  dialogParams(settings: DialogSettings): readonly [name: string, value: string][];
  /** What a person granted in the dialog. */
  assets(world: PickWorld, request: PickRequest): Promise<PickedAssets>;
  /** Permissions without which a channel cannot send or receive. */
  permissions: readonly string[];
  /** Query of the call that subscribes the asset's webhooks. [upstream §2.2] */
  subscriptionQuery: Record<string, string>;
  /** Whether this item of the asset's subscriptions is our app, subscribed to everything that the kind hears. */
  isHeardBy(app: Json, appId: string): boolean;
  /** Reads the channel's profile from upstream; null for a kind whose profile never changes. */
  profile(graph: Graph, channel: Channel, token: string): Promise<ProfileRead | null>;
  /** What else upstream shows of the channel. Throws nothing: a refusal means that nothing is known. */
  conditions(graph: Graph, channel: Channel, token: string, callbackUrl: string): Promise<Conditions>;
  /** As `UpstreamAdmin.register`, for a channel with a token. */
  register(calls: RegisterCalls, channel: Channel, mayCall: () => Promise<boolean>): Promise<Registration>;
}

export interface RegisterCalls {
  graph: Graph;
  token: string;
  /** Of which PINs are derived. */
  pinSecret: string;
}

export interface DialogSettings {
  dialogUrl: string;
  version: string;
  appId: string;
  /** Id of the login configuration of chatapp's sign-up; null: no number can be connected. */
  signupConfigId: string | null;
  /** JSON object: `extras` of that sign-up. */
  signupExtras: string;
  /** Id of the login configuration of the dialog for pages; null: the dialog asks for `pageScopes` or `photoScopes`. */
  pagesConfigId: string | null;
  pageScopes: readonly string[];
  photoScopes: readonly string[];
  /** The two-step PINs of numbers are derived from it. */
  pinSecret: string;
}

export interface PickWorld {
  graph: Graph;
  settings: GraphSettings & DialogSettings;
  log: Log;
}

export interface PickRequest {
  code: string;
  redirectUri: string;
}
