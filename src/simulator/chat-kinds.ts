import type { Bag } from './bag.ts';
import type { Channel } from './model.ts';

/** What a person can do on the chat page with one kind of channel [upstream protocol 4.2, 4.7, 4.8]. */
export type ChatKind = {
  /** Message types; the first is preselected. */
  readonly types: readonly string[];
  /** File types of which one message may have several. */
  readonly attachments: readonly string[];
  /** Message type that unsends a message; null: unsending emits no event. */
  readonly unsend: string | null;
  readonly appTypes: readonly string[];
};

const kinds: Readonly<Record<Channel['type'], ChatKind>> = {
  phone: {
    types: [
      'text', 'image', 'video', 'voice', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'button_reply',
      'list_reply', 'order', 'unsupported',
    ],
    attachments: [],
    unsend: 'revoke',
    appTypes: ['text', 'image', 'video', 'audio', 'document', 'location'],
  },
  page: {
    types: ['text', 'quick_reply', 'postback', 'location', 'share', 'fallback', 'template', 'sticker', 'unsupported'],
    attachments: ['image', 'video', 'audio', 'file'],
    unsend: null,
    appTypes: ['text', 'image', 'video', 'audio', 'file'],
  },
  photo: {
    types: ['text', 'postback', 'share', 'ig_post', 'ig_reel', 'story_mention', 'story_reply', 'like_heart', 'ephemeral', 'unsupported'],
    attachments: ['image', 'video', 'audio', 'file'],
    unsend: 'delete',
    appTypes: ['text', 'image', 'video', 'audio'],
  },
}; // oxfmt-ignore

export function chatKindOf(channel: Channel): ChatKind {
  return kinds[channel.type];
}

/** A file that somebody chose on the page. */
export type OwnFile = { readonly filename: string; readonly mimeType: string; readonly bytes: Buffer };

/** The message as the body of a control call; undefined: the form is empty. Unknown types become text. */
export function writtenOf(
  channel: Channel,
  form: (name: string) => string | undefined,
  own: OwnFile | undefined,
): Bag | undefined {
  const kind = chatKindOf(channel);
  const text = form('text') ?? '';
  const words = text === '' ? {} : { text };
  const type = kind.types.find((known) => known === form('type')) ?? 'text';
  const files = kind.attachments.flatMap((file) =>
    Array.from({ length: Math.min(10, Number(form(file) ?? 0) || 0) }, (): Bag => ({ type: file })),
  );
  const picked = own === undefined || own.bytes.length === 0 ? [] : [ownFile(channel, own)];
  if (channel.type === 'phone' && picked[0] !== undefined) return { ...words, ...picked[0] };
  const attachments = [...files, ...picked];
  if (attachments.length > 0) return { ...words, attachments };
  if (type === 'button_reply' || type === 'list_reply')
    return { ...words, type: 'interactive', interactive: type };
  return type === 'text' && text === '' ? undefined : { ...words, type };
}

function ownFile({ type: channelType }: Channel, { filename, mimeType, bytes }: OwnFile): Bag {
  const [family = ''] = mimeType.split('/');
  const other = channelType === 'phone' ? 'document' : 'file';
  const type = ['image', 'video', 'audio'].includes(family) ? family : other;
  return { type, filename, mime_type: mimeType, content_base64: bytes.toString('base64') };
}
