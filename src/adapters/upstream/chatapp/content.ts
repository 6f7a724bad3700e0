import type { UpstreamFile } from '../../../domain/messages/facts.ts';
import type { MessageContent } from '../kind.ts';
import { unsupportedPart } from '../unsupported-part.ts';
import { idOf, recordOf, textOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

type ReadContent = (message: Json) => MessageContent | 'ignored' | 'malformed';

const ignored: ReadContent = () => 'ignored';

/** By upstream's `type`; anything else is `unsupported` under upstream's name. [upstream §4.2; spec: message.received 5, 6] */
const readers = new Map<string, ReadContent>([
  ['text', (message) => textContent(textOf(recordOf(message['text'])?.['body'])) ?? 'malformed'],
  ['image', (message) => mediaContent('image', recordOf(message['image']))],
  ['video', (message) => mediaContent('video', recordOf(message['video']))],
  ['audio', (message) => mediaContent('audio', recordOf(message['audio']))],
  ['voice', (message) => mediaContent('audio', { ...recordOf(message['voice']), voice: true })],
  ['document', (message) => mediaContent('document', recordOf(message['document']))],
  ['sticker', (message) => mediaContent('sticker', recordOf(message['sticker']))],
  ['button', (message) => unsupported('button', textOf(recordOf(message['button'])?.['text']))],
  ['interactive', (message) => unsupported('interactive', chosenIn(recordOf(message['interactive'])))],
  ['reaction', ignored],
  // Changes of an earlier message, and notices about a number or identity: nobody said anything new.
  ['edit', ignored],
  ['revoke', ignored],
  ['system', ignored],
]);

/** Parts and caption of a chatapp message or echo; `ignored` for what is no new message. */
export function contentOf(message: Json): MessageContent | 'ignored' | 'malformed' {
  const type = textOf(message['type']);
  if (type === null) return 'malformed';
  const read = readers.get(type);
  return read === undefined ? unsupported(type) : read(message);
}

function textContent(text: string | null): MessageContent | null {
  return text === null ? null : { caption: null, parts: [{ type: 'text', text }] };
}

function unsupported(unsupportedType: string, chosen: string | null = null): MessageContent {
  return { caption: null, parts: [unsupportedPart(unsupportedType, chosen)] };
}

/** A pressed button or chosen row says its title; forms and call permissions have none. */
function chosenIn(interactive: Json | null): string | null {
  const chosen = recordOf(interactive?.['button_reply']) ?? recordOf(interactive?.['list_reply']);
  return textOf(chosen?.['title']);
}

/**
 * A file without an id (over 100 MB: error 131052 stands in its place) is still a message: its download fails and the client
 * is told so. `url` is never used here: it needs the token and is not always there. [upstream §4.2]
 */
function mediaContent(
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  media: Json | null,
): MessageContent {
  const file: UpstreamFile = {
    mediaId: idOf(media?.['id']),
    url: null,
    mimeType: textOf(media?.['mime_type']),
    filename: textOf(media?.['filename']),
    sha256: textOf(media?.['sha256']),
    voice: media?.['voice'] === true,
  };
  return { caption: textOf(media?.['caption']), parts: [{ type, file }] };
}
