import { asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { Tier } from '../licences/subscription.ts';
import type { FilledTemplate, UnfilledTemplate } from '../templates/filled.ts';
import { readTemplate } from '../templates/read-filled.ts';
import { mediaTypes } from './message.ts';
import type { MediaType } from './message.ts';

/** What a client asked to send. Sealed while at rest; erased once no copy can be due any more. */
export type Content = { type: 'text'; text: string } | MediaContent | TemplateContent;

/** A file that upstream fetches from `url` by itself. [spec: Sending messages] */
export interface MediaContent {
  type: 'media';
  mediaType: MediaType;
  url: string;
  /** null where the kind or the media type takes none. */
  caption: string | null;
  filename: string | null;
}

export interface TemplateContent {
  type: 'template';
  template: FilledTemplate | UnfilledTemplate;
}

/** The template was unknown to this node when the send was taken: it is looked up before the call. [operator-interface §4] */
export function isUnfilled(content: Content): content is { type: 'template'; template: UnfilledTemplate } {
  return content.type === 'template' && 'variables' in content.template;
}

export type ContentType = Content['type'];

/** What a message can be that comes in, or is seen beside us. */
export const emittedTypes = ['text', ...mediaTypes, 'sticker', 'unsupported'] as const;

/** What a message can be, whoever wrote it. */
export const messageTypes = ['text', ...mediaTypes, 'sticker', 'template', 'unsupported'] as const;

/** The word for what it is: of a file what the file is. */
export function readMessageType(content: Content): (typeof messageTypes)[number] {
  return content.type === 'media' ? content.mediaType : content.type;
}

/** What upstream takes more slowly than all else. [upstream §3.8] */
export function isAudioOrVideo(content: Content): boolean {
  return content.type === 'media' && (content.mediaType === 'audio' || content.mediaType === 'video');
}

/** The licence a send needs. [spec: Limits, Licence tier] */
export function tierFor(type: ContentType): Tier {
  return type === 'media' ? 'pro' : 'starter';
}

/** Content as it was kept at rest. Throws when it is none: then no copy of the message can be made. */
export function readContent(stored: unknown): Content {
  const content = readOne(asRecord(stored));
  if (content === null) throw new Error('content of an unknown kind');
  return content;
}

function readOne(stored: Json | null): Content | null {
  switch (stored?.['type']) {
    case 'text':
      return typeof stored['text'] === 'string' ? { type: 'text', text: stored['text'] } : null;
    case 'media':
      return readMedia(stored);
    case 'template': {
      const kept = asRecord(stored['template']);
      const template = kept === null ? null : readTemplate(kept);
      return template === null ? null : { type: 'template', template };
    }
    default:
      return null;
  }
}

function readMedia(stored: Json): Content | null {
  const mediaType = mediaTypes.find((known) => known === stored['mediaType']);
  const url = asText(stored['url']);
  if (mediaType === undefined || url === null) return null;
  return {
    type: 'media',
    mediaType,
    url,
    caption: asText(stored['caption']),
    filename: asText(stored['filename']),
  };
}
