import { asBag, asText, type Bag } from './bag.ts';
import { contentOf } from './inbound-chatapp-content.ts';
import { newWamid } from './ids.ts';
import { addMedia, linkOf, statedOf } from './media-api.ts';
import type { Media, Phone } from './model.ts';
import { fileOf } from './inbound-file.ts';
import type { World } from './world.ts';

const mediaTypes = new Set(['image', 'video', 'audio', 'voice', 'document', 'sticker']);

/** A message as upstream words it, with its files. */
type Worded = {
  readonly message: Record<string, unknown>;
  readonly media: readonly { id: string; url: string }[];
};

/** Builds a chatapp message of any type [upstream protocol 4.2]; `ask` is the body of the control call. */
export function wordChatapp(world: World, phone: Phone, peer: string, ask: Bag): Worded {
  const type = asText(ask.type) ?? 'text';
  const id = asText(ask.id) ?? newWamid(peer);
  const at = Number(asText(ask.at) ?? world.now());
  const head = {
    id,
    timestamp: String(Math.floor(at / 1000)),
    ...contextOf(world, phone, peer, ask),
    ...surroundingsOf(ask),
  };
  if (mediaTypes.has(type)) return wordMedia(world, phone, type, head, ask);
  return { message: { ...head, ...contentOf(type, ask), ...asBag(ask.raw) }, media: [] };
}

/**
 * `context`: the message that this one replies to, and whether it was forwarded. A pressed button always replies to a message of the
 * business [upstream protocol 4.2].
 */
function contextOf(world: World, phone: Phone, peer: string, ask: Bag): Record<string, unknown> {
  const isPress = ask.type === 'interactive' || ask.type === 'button';
  const pressed = isPress ? (world.conversation(phone.id, peer).lastSentId ?? newWamid(peer)) : undefined;
  const replyTo = asText(ask.reply_to) ?? pressed;
  const isForwarded = ask.forwarded === true;
  const product = asBag(ask.product);
  if (replyTo === undefined && !isForwarded && product === undefined) return {};
  const writtenBy = ask.reply_to_own === true ? peer : phone.digits;
  const answered = replyTo === undefined ? {} : { from: writtenBy, id: replyTo };
  return {
    context: {
      ...answered,
      ...(isForwarded ? { forwarded: true } : {}),
      ...(product === undefined ? {} : { referred_product: product }),
    },
  };
}

/** The advertisement that the person came from, and the group in which the message was written. */
function surroundingsOf(ask: Bag): Record<string, unknown> {
  const groupId = asText(ask.group_id);
  return {
    ...(ask.referral === true ? { referral: sampleReferral } : {}),
    ...(groupId === undefined ? {} : { group_id: groupId }),
  };
}

const sampleReferral = {
  source_url: 'https://fb.example/ad',
  source_id: '120200000000000001',
  source_type: 'ad',
  headline: 'Fresh every morning',
  body: 'Write to us',
  media_type: 'image',
  image_url: 'https://scontent.example/ad.jpg',
  ctwa_clid: 'ARclick',
};

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
    return { message: { ...head, type: wireType, errors, ...asBag(ask.raw) }, media: [] };
  }
  const media = addMedia(world, { ...fileOf(type, ask), ownerPhone: phone.id });
  const caption =
    asText(ask.caption) ?? (wireType === 'audio' || wireType === 'sticker' ? undefined : asText(ask.text));
  const { url, ...bare } = describe(world, media);
  // [upstream protocol 4.2] Upstream added the url later; clients must not depend on it.
  const described = ask.no_url === true ? bare : { ...bare, url };
  const member = {
    ...(caption === undefined ? {} : { caption }),
    ...(type === 'document' ? { filename: media.filename } : {}),
    ...described,
    ...(wireType === 'audio' ? { voice: isVoice } : {}),
    ...(type === 'sticker' ? { animated: false } : {}),
  };
  return {
    message: { ...head, type: wireType, [wireType]: member, ...asBag(ask.raw) },
    media: [{ id: media.id, url }],
  };
}

function describe(
  world: World,
  media: Media,
): { mime_type: string; sha256: string; id: string; url: string } {
  const sha256 = statedOf(media).sha256.toString('base64');
  return { mime_type: media.mimeType, sha256, id: media.id, url: linkOf(world, 'chatapp', media) };
}
