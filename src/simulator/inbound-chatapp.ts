import { createHash } from 'node:crypto';
import { bagOf, listOf, textOf, type Bag } from './bag.ts';
import { newWamid } from './ids.ts';
import { addMedia, linkOf } from './media-api.ts';
import type { Media, Phone } from './model.ts';
import { fileOf } from './inbound-file.ts';
import type { World } from './world.ts';

const mediaTypes = new Set(['image', 'video', 'audio', 'voice', 'document', 'sticker']);

/** A message as upstream words it, and the file that goes with it. */
export type Worded = {
  readonly message: Record<string, unknown>;
  readonly media: readonly { id: string; url: string }[];
};

/** Words a chatapp message of any type [upstream protocol 4.2]; `ask` is the body of the control call. */
export function wordChatapp(world: World, phone: Phone, peer: string, ask: Bag): Worded {
  const type = textOf(ask.type) ?? 'text';
  const id = textOf(ask.id) ?? newWamid(peer);
  const at = Number(textOf(ask.at) ?? world.now());
  const context =
    textOf(ask.reply_to) === undefined ? {} : { context: { from: phone.digits, id: textOf(ask.reply_to) } };
  const head = { id, timestamp: String(Math.floor(at / 1000)), ...context };
  if (mediaTypes.has(type)) return wordMedia(world, phone, type, head, ask);
  return { message: { ...head, ...contentOf(type, ask), ...bagOf(ask.raw) }, media: [] };
}

function wordMedia(
  world: World,
  phone: Phone,
  type: string,
  head: Record<string, unknown>,
  ask: Bag,
): Worded {
  const isVoice = type === 'voice';
  const wireType = isVoice ? 'audio' : type;
  if (ask.errors === true) {
    const errors = [
      {
        code: 131052,
        title: 'Media download error',
        message: 'Media download error',
        error_data: { details: 'Failed to download the media' },
      },
    ];
    return { message: { ...head, type: wireType, errors, ...bagOf(ask.raw) }, media: [] };
  }
  const media = addMedia(world, { ...fileOf(type, ask), ownerPhone: phone.id });
  const caption =
    textOf(ask.caption) ?? (wireType === 'audio' || wireType === 'sticker' ? undefined : textOf(ask.text));
  const member = {
    ...(caption === undefined ? {} : { caption }),
    ...(type === 'document' ? { filename: media.filename } : {}),
    ...describe(world, media),
    ...(wireType === 'audio' ? { voice: isVoice } : {}),
    ...(type === 'sticker' ? { animated: false } : {}),
  };
  return {
    message: { ...head, type: wireType, [wireType]: member, ...bagOf(ask.raw) },
    media: [{ id: media.id, url: member.url }],
  };
}

function describe(
  world: World,
  media: Media,
): { mime_type: string; sha256: string; id: string; url: string } {
  const sha256 = createHash('sha256').update(media.bytes).digest('base64');
  return { mime_type: media.mimeType, sha256, id: media.id, url: linkOf(world, 'chatapp', media) };
}

function contentOf(type: string, ask: Bag): Record<string, unknown> {
  const text = textOf(ask.text) ?? 'Hello';
  switch (type) {
    case 'text':
      return { type, text: { body: text } };
    case 'location':
      return {
        type,
        location: { latitude: 53.5443, longitude: 9.9666, name: 'Old harbour', address: 'Quay 1' },
      };
    case 'contacts':
      return {
        type,
        contacts: [
          {
            name: { formatted_name: 'Lena Ott', first_name: 'Lena' },
            phones: [{ phone: '+49 1590 0000779', wa_id: '4915900000779', type: 'CELL' }],
          },
        ],
      };
    case 'reaction':
      return {
        type,
        reaction: {
          message_id: textOf(ask.message_id) ?? '',
          ...(ask.emoji === null ? {} : { emoji: textOf(ask.emoji) ?? '👍' }),
        },
      };
    case 'button':
      return { type, button: { text, payload: textOf(ask.payload) ?? text } };
    case 'interactive':
      return {
        type,
        interactive: {
          type: 'button_reply',
          button_reply: { id: textOf(ask.payload) ?? 'yes', title: text },
        },
      };
    case 'order':
      return {
        type,
        order: {
          catalog_id: '1600000000000001',
          text,
          product_items: listOf(ask.items) ?? [
            { product_retailer_id: 'cake-1', quantity: 1, item_price: 12.5, currency: 'EUR' },
          ],
        },
      };
    case 'system':
      return { type, system: { body: text, type: 'user_changed_number', wa_id: textOf(ask.wa_id) ?? '' } };
    case 'request_welcome':
      return { type };
    case 'edit':
      return {
        type,
        edit: {
          original_message_id: textOf(ask.message_id) ?? '',
          message: { type: 'text', text: { body: text } },
        },
      };
    case 'revoke':
      return { type, revoke: { original_message_id: textOf(ask.message_id) ?? '' } };
    case 'unsupported':
      return {
        type,
        errors: [
          {
            code: 131051,
            title: 'Message type unknown',
            message: 'Message type unknown',
            error_data: { details: 'Message type is currently not supported.' },
          },
        ],
        unsupported: { type: 'unknown' },
      };
    default:
      return { type, [type]: {} };
  }
}
