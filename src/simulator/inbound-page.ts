import { asBag, asList, asNumber, asText, type Bag } from './bag.ts';
import { newDigits, newPageMid, newPhotoMid } from './ids.ts';
import { fileOf } from './inbound-file.ts';
import { addMedia, linkOf } from './media-api.ts';
import type { Page, Photo } from './model.ts';
import type { World } from './world.ts';

/** A page or photoapp event: its kind, its member and its files. */
type WordedEvent = {
  readonly id: string;
  readonly kind: string;
  readonly member: Record<string, unknown>;
  readonly media: readonly { id: string; url: string }[];
};

type Attachment = {
  readonly shown: Record<string, unknown>;
  readonly media: readonly { id: string; url: string }[];
};

/** Builds a page or photoapp event of any type [upstream protocol 4.7, 4.8]; `ask` is the body of the control call. */
export function wordPage(world: World, channel: Page | Photo, ask: Bag): WordedEvent {
  const id = asText(ask.id) ?? (channel.type === 'page' ? newPageMid() : newPhotoMid());
  const type = asText(ask.type) ?? 'text';
  const bare = bareEvent(id, type, ask);
  if (bare) return { id, media: [], ...bare };
  const attachments = attachmentsOf(world, channel, type, ask);
  const text = asText(ask.text) ?? asText(ask.caption);
  const message = {
    mid: id,
    ...(text === undefined && attachments.length === 0 && !isFlag(type) ? { text: 'Hello' } : {}),
    ...(text === undefined ? {} : { text }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map((attachment) => attachment.shown) }),
    ...extraOf(world, channel, type, ask),
    ...referralOf(ask),
    ...asBag(ask.raw),
  };
  return {
    id,
    kind: 'message',
    member: { message },
    media: attachments.flatMap((attachment) => attachment.media),
  };
}

/** The advertisement or the link that the person came from, with their first message [upstream protocol 4.7, 4.8]. */
function referralOf(ask: Bag): Record<string, unknown> {
  if (ask.referral !== true) return {};
  const ad = { ad_title: 'Fresh every morning', photo_url: 'https://scontent.example/ad.jpg' };
  const referral = {
    ref: asText(ask.ref) ?? 'door',
    source: 'ADS',
    type: 'OPEN_THREAD',
    ad_id: '120200000000000001',
    ads_context_data: ad,
  };
  return { referral };
}

function isFlag(type: string): boolean {
  return type === 'unsupported' || type === 'delete';
}

/** Events that are not messages. */
function bareEvent(id: string, type: string, ask: Bag): Pick<WordedEvent, 'kind' | 'member'> | undefined {
  const mid = asText(ask.message_id) ?? id;
  const text = asText(ask.text) ?? 'Hello';
  switch (type) {
    case 'reaction': {
      const member = {
        mid,
        action: ask.emoji === null ? 'unreact' : 'react',
        reaction: 'love',
        emoji: asText(ask.emoji) ?? '❤',
      };
      return { kind: 'reaction', member: { reaction: member } };
    }
    case 'postback':
      return {
        kind: 'postback',
        member: {
          postback: {
            ...(ask.without_mid === true ? {} : { mid }),
            title: text,
            payload: asText(ask.payload) ?? 'START',
            ...referralOf(ask),
          },
        },
      };
    case 'referral':
      return {
        kind: 'referral',
        member: {
          referral: { ref: asText(ask.payload) ?? 'door', source: 'SHORTLINK', type: 'OPEN_THREAD' },
        },
      };
    case 'optin':
      return {
        kind: 'optin',
        member: { optin: { type: 'one_time_notif_req', payload: asText(ask.payload) ?? 'news' } },
      };
    case 'edit':
      return { kind: 'edit', member: { message_edit: { mid, text, num_edit: asNumber(ask.num_edit) ?? 1 } } };
    default:
      return undefined;
  }
}

function extraOf(world: World, channel: Page | Photo, type: string, ask: Bag): Record<string, unknown> {
  const replyTo = asText(ask.reply_to);
  const reply = replyTo === undefined ? {} : { reply_to: { mid: replyTo } };
  switch (type) {
    case 'quick_reply':
      return { ...reply, quick_reply: { payload: asText(ask.payload) ?? 'HOURS' } };
    case 'story_reply':
      return {
        reply_to: { story: { id: newDigits('18', 17), url: mediaLink(world, channel, type, ask).url } },
      };
    case 'unsupported':
      return { is_unsupported: true };
    case 'delete':
      return { mid: asText(ask.message_id) ?? '', is_deleted: true };
    default:
      return reply;
  }
}

function attachmentsOf(world: World, channel: Page | Photo, type: string, ask: Bag): Attachment[] {
  const list = asList(ask.attachments);
  if (list) return list.map((item) => attachmentOf(world, channel, asBag(item) ?? {}));
  const isText = ['text', 'quick_reply', 'story_reply'].includes(type) || isFlag(type);
  return isText ? [] : [attachmentOf(world, channel, ask)];
}

function mediaLink(world: World, channel: Page | Photo, type: string, ask: Bag): { id: string; url: string } {
  const media = addMedia(world, { ...fileOf(type, ask), ownerPhone: null });
  return { id: media.id, url: linkOf(world, channel.type === 'page' ? 'pagechat' : 'photoapp', media) };
}

function attachmentOf(world: World, channel: Page | Photo, ask: Bag): Attachment {
  const type = asText(ask.type) ?? 'image';
  const raw = asBag(ask.raw_attachment) ?? {};
  const bare = bareAttachment(type, ask);
  if (bare) return { shown: { ...bare, ...raw }, media: [] };
  const media = mediaLink(world, channel, type, ask);
  const payload = { url: media.url, ...payloadExtra(type, ask) };
  return { shown: { type, payload, ...raw }, media: [media] };
}

/** Attachments without a file. */
function bareAttachment(type: string, ask: Bag): Record<string, unknown> | undefined {
  switch (type) {
    case 'location':
      return { type, title: 'Old harbour', payload: { coordinates: { lat: 53.5443, long: 9.9666 } } };
    case 'fallback':
      return { type, payload: { url: asText(ask.url) ?? 'https://news.example/today', title: 'News' } };
    case 'template':
      return { type, payload: { template_type: 'generic', title: 'Offer' } };
    case 'like_heart':
      return { type };
    case 'ephemeral':
      return { type, payload: {} };
    default:
      return undefined;
  }
}

function payloadExtra(type: string, ask: Bag): Record<string, unknown> {
  switch (type) {
    case 'sticker':
      return { sticker_id: 369239263222822 };
    case 'ig_reel':
    case 'reel':
      return { reel_video_id: newDigits('18', 17), title: asText(ask.title) ?? 'Baking' };
    case 'ig_post':
    case 'post':
      return { id: newDigits('18', 17), title: asText(ask.title) ?? 'Our week' };
    default:
      return {};
  }
}
