import { asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { Tier } from '../licences/subscription.ts';
import type { FilledTemplate, UnfilledTemplate } from '../templates/filled.ts';
import { readFilledTemplate } from '../templates/read-filled.ts';
import { readCard } from './cards.ts';
import type { ContactsContent, LocationContent, ReactionContent } from './cards.ts';
import { readInteractive } from './interactive.ts';
import type { InteractiveContent } from './interactive.ts';
import { mediaTypes } from './message.ts';
import type { MediaType } from './message.ts';

/** Content of a send. Stored sealed; erased once no further copy can be due. */
export type Content = (
  | TextContent
  | MediaContent
  | TemplateContent
  | InteractiveContent
  | LocationContent
  | ContactsContent
  | ReactionContent
) &
  SendExtras;

/** What a send may add to its content. A member is absent unless it is used: most sends have none. */
interface SendExtras {
  /** Upstream's id of the message that this one answers. */
  replyTo?: string;
  /** Says that a person answers, which extends the window of pages. [upstream §3.3] */
  tag?: SendTag;
}

export const sendTags = ['human_agent'] as const;
export type SendTag = (typeof sendTags)[number];

interface TextContent {
  type: 'text';
  text: string;
  /** Upstream shows a preview of the text's first link; absent: it need not. */
  showsPreview?: true;
}

/** A file of a message. [spec: Sending messages] */
export type MediaContent = ShownMedia & (LinkedFile | UploadedFile);

/** Upstream fetches it from `url` by itself. */
interface LinkedFile {
  url: string;
}

/** It was uploaded before: upstream has it under this id. */
interface UploadedFile {
  uploadedId: string;
}

interface ShownMedia {
  type: 'media';
  mediaType: MediaType;
  /** null if the kind or the media type has no caption. */
  caption: string | null;
  filename: string | null;
  /** An audio that is shown as a voice message. */
  isVoice?: true;
}

export interface TemplateContent {
  type: 'template';
  template: FilledTemplate | UnfilledTemplate;
}

/** Whether the template must still be looked up, because it was unknown when the send was accepted. [operator-interface §4] */
export function isUnfilled(content: Content): content is { type: 'template'; template: UnfilledTemplate } {
  return content.type === 'template' && 'variables' in content.template;
}

export type ContentType = Content['type'];

/** Types of received messages and echoes. */
export const emittedTypes = ['text', ...mediaTypes, 'sticker', 'unsupported'] as const;

/** Types of all messages. */
export const messageTypes = [
  'text',
  ...mediaTypes,
  'sticker',
  'template',
  'interactive',
  'location',
  'contacts',
  'reaction',
  'unsupported',
] as const;

/** Message type of a content; for a file its media type. */
export function readMessageType(content: Content): (typeof messageTypes)[number] {
  return content.type === 'media' ? content.mediaType : content.type;
}

/** Audio and video have a lower rate limit upstream. [upstream §3.8] */
export function isAudioOrVideo(content: Content): boolean {
  return content.type === 'media' && (content.mediaType === 'audio' || content.mediaType === 'video');
}

/** The tier that a send requires. [spec: Limits, Licence tier] */
export function tierFor(type: ContentType): Tier {
  return type === 'media' ? 'pro' : 'starter';
}

/** Parses stored content. Throws if it is invalid: then no copy of the message can be sent. */
export function readContent(stored: unknown): Content {
  const kept = asRecord(stored);
  const content = readOne(kept);
  if (kept === null || content === null) throw new Error('content of an unknown kind');
  return { ...content, ...readExtras(kept) };
}

function readExtras({ replyTo, tag }: Json): SendExtras {
  const known = sendTags.find((each) => each === tag);
  return {
    ...(typeof replyTo === 'string' ? { replyTo } : {}),
    ...(known === undefined ? {} : { tag: known }),
  };
}

function readOne(stored: Json | null): Content | null {
  switch (stored?.['type']) {
    case 'text':
      return typeof stored['text'] === 'string' ? readText(stored, stored['text']) : null;
    case 'media':
      return readMedia(stored);
    case 'template': {
      const kept = asRecord(stored['template']);
      const template = kept === null ? null : readFilledTemplate(kept);
      return template === null ? null : { type: 'template', template };
    }
    case 'interactive':
      return readInteractive(stored);
    default:
      return stored === null ? null : readCard(stored);
  }
}

function readText(stored: Json, text: string): TextContent {
  return { type: 'text', text, ...(stored['showsPreview'] === true ? { showsPreview: true } : {}) };
}

function readMedia(stored: Json): Content | null {
  const mediaType = mediaTypes.find((known) => known === stored['mediaType']);
  const file = readSource(stored);
  if (mediaType === undefined || file === null) return null;
  return {
    type: 'media',
    mediaType,
    ...file,
    caption: asText(stored['caption']),
    filename: asText(stored['filename']),
    ...(stored['isVoice'] === true ? { isVoice: true } : {}),
  };
}

function readSource(stored: Json): LinkedFile | UploadedFile | null {
  const url = asText(stored['url']);
  const uploadedId = asText(stored['uploadedId']);
  if (url !== null) return { url };
  return uploadedId === null ? null : { uploadedId };
}
