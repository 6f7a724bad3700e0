import type { UpstreamFile } from '../../rules/messages/facts.ts';
import type { MessageContent } from '../kind.ts';
import { asWords, present } from '../bounded.ts';
import { asWord, unsupportedPart } from '../unparsed-items.ts';
import { asId, asList, asRecord, asText, stringOrNull } from '../read.ts';
import type { Json } from '../read.ts';
import { readForm, readStructured } from './structured.ts';

type ReadContent = (message: Json) => MessageContent | 'ignored' | 'malformed';

const ignored: ReadContent = () => 'ignored';

/** Readers by upstream's `type`; any other type is `unsupported` under upstream's name. [upstream §4.2; spec: message.received 5, 6] */
const readers = new Map<string, ReadContent>([
  ['text', (message) => textContent(stringOrNull(asRecord(message['text'])?.['body'])) ?? 'malformed'],
  ['image', (message) => mediaContent('image', asRecord(message['image']))],
  ['video', (message) => mediaContent('video', asRecord(message['video']))],
  ['audio', (message) => mediaContent('audio', asRecord(message['audio']))],
  ['voice', (message) => mediaContent('audio', { ...asRecord(message['voice']), voice: true })],
  ['document', (message) => mediaContent('document', asRecord(message['document']))],
  ['sticker', (message) => mediaContent('sticker', asRecord(message['sticker']))],
  ['button', (message) => pressed('button', asRecord(message['button']), 'payload', 'text')],
  ['interactive', (message) => readInteractive(asRecord(message['interactive']))],
  ['unsupported', (message) => leftOut(message)],
  ['reaction', ignored],
  // Changes of earlier messages, and notices about a number or identity: no new message.
  ['edit', ignored],
  ['revoke', ignored],
  ['system', ignored],
]);

/** Parts and caption of a chatapp message or echo; `ignored` if it is no new message. */
export function readContent(message: Json): MessageContent | 'ignored' | 'malformed' {
  const type = asText(message['type']);
  if (type === null) return 'malformed';
  const read = readers.get(type);
  return read === undefined ? unsupported(type, { content: readStructured(type, message) }) : read(message);
}

/** An empty text is a message too: its person has written, and may be answered. [spec: message.received] */
function textContent(text: string | null): MessageContent | null {
  return text === null ? null : { caption: null, parts: [{ type: 'text', text }] };
}

function unsupported(unsupportedType: string, more: Parameters<typeof unsupportedPart>[1]): MessageContent {
  return { caption: null, parts: [unsupportedPart(unsupportedType, more)] };
}

/** `given`: what upstream says of the button, with these members for its id and its title. */
function pressed(type: string, given: Json | null, id: string, title: string): MessageContent {
  const button = present({ id: asWords(given?.[id]), title: asWords(given?.[title]) });
  return unsupported(type, { text: asText(given?.[title]), button });
}

/** A pressed button, a chosen row, or a form; call permissions have neither title nor content. */
function readInteractive(interactive: Json | null): MessageContent {
  const chosen = asRecord(interactive?.['button_reply']) ?? asRecord(interactive?.['list_reply']);
  if (chosen !== null) return pressed('interactive', chosen, 'id', 'title');
  return unsupported('interactive', { content: readForm(asRecord(interactive?.['nfm_reply'])) });
}

/** Upstream's word for what it does not show, otherwise the code of its error. A change or reaction that it does not show is none either. */
function leftOut(message: Json): MessageContent | 'ignored' {
  const named = asWord(asRecord(message['unsupported'])?.['type']);
  if (named !== null && readers.get(named) === ignored) return 'ignored';
  const code = asWord(asRecord(asList(message['errors'])[0])?.['code']);
  return unsupported('unsupported', {
    reason: named === null || named === 'unknown' ? (code ?? named) : named,
  });
}

/**
 * A file without an id (over 100 MB: error 131052 takes its place) is still a message: its download fails, and the client is told. `url` is
 * not used: it needs the token and is sometimes absent. [upstream §4.2]
 */
function mediaContent(
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  media: Json | null,
): MessageContent {
  const file: UpstreamFile = {
    mediaId: asId(media?.['id']),
    url: null,
    mimeType: asText(media?.['mime_type']),
    filename: asText(media?.['filename']),
    sha256: asText(media?.['sha256']),
    voice: media?.['voice'] === true,
  };
  return { caption: asText(media?.['caption']), parts: [{ type, file }] };
}
