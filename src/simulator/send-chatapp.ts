import { reaches } from './access.ts';
import { asBag, asFlag, asText, type Bag } from './bag.ts';
import { badParameter, GraphError, missingObject, missingPermission } from './graph-error.ts';
import { newWamid } from './ids.ts';
import { checkLink, checkUpload } from './links.ts';
import { sizeOf } from './media-bytes.ts';
import { isOver } from './media-life.ts';
import type { Phone } from './model.ts';
import { checkCard } from './send-cards.ts';
import { checkChatappInteractive } from './send-interactive.ts';
import { recipientOf } from './recipients.ts';
import type { Draft } from './send-draft.ts';
import { checkTemplateSend } from './template-send.ts';
import { hasScope, type Token } from './tokens.ts';
import type { World } from './world.ts';

const mediaTypes = new Set(['image', 'audio', 'video', 'document', 'sticker']);
const otherTypes = new Set(['location', 'contacts', 'reaction']);

/** Checks that the token may use the number. Throws GraphError: 100/33 if it may not see it, 200 without the permission. */
export function checkPhoneToken(phone: Phone, token: Token, method: string): void {
  if (token.kind !== 'business' || !reaches(token, phone.waba)) throw missingObject(phone.id, method);
  if (!hasScope(token, 'whatsapp_business_messaging', phone.waba.id))
    throw missingPermission('whatsapp_business_messaging');
}

/**
 * Reads and checks a send in upstream's order [upstream protocol 3.1, 9.4]: members, recipient, type, content. Throws GraphError 100,
 * 131008, 131009, 131021 or the template's codes.
 */
export function draftChatapp(world: World, phone: Phone, bag: Bag): Draft {
  if (bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  const { input, waId, userId } = recipientOf(world, phone, bag);
  if (waId === phone.digits)
    throw new GraphError({
      code: 131021,
      details: 'Recipient phone number and sender phone number are the same',
    });
  const tag = tagOf(bag);
  const type = asText(bag.type) ?? 'text';
  const content = contentOf(world, phone, type, bag);
  if (userId !== null && world.settings.scoped_user_ids && content.isAuthentication === true)
    throw new GraphError({ code: 131062 });
  const contact = userId === null ? { input, wa_id: waId } : { input, user_id: userId };
  const id = newWamid(waId);
  const state = type === 'template' ? { message_status: 'accepted' } : {};
  return {
    kind: 'chatapp',
    channel: phone,
    recipient: waId,
    type,
    text: content.text,
    tag,
    more: moreOf(bag, content.more),
    quickReplies: content.quickReplies ?? [],
    id,
    echo: {},
    isTemplate: type === 'template',
    isTagged: false,
    link: content.link,
    answer: { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id, ...state }] },
  };
}

function tagOf(bag: Bag): string | null {
  const tag = asText(bag.biz_opaque_callback_data);
  if (tag !== undefined && tag.length > 512)
    throw badParameter('Invalid parameter', 'biz_opaque_callback_data must be at most 512 characters long');
  return tag ?? null;
}

/** What is more than a plain text or file: the message that it answers, and what its own type adds. */
function moreOf(bag: Bag, own: Bag | undefined): Bag | null {
  if (bag.context === undefined) return own ?? null;
  const answered = asText(asBag(bag.context)?.message_id);
  if (answered === undefined || answered === '') throw missing("context['message_id']");
  return { ...own, context: { message_id: answered } };
}

/** `isAuthentication`: of a template of that category, which needs a number. */
type Content = {
  readonly text: string | null;
  readonly link: Draft['link'];
  readonly isAuthentication?: boolean;
  readonly more?: Bag;
  readonly quickReplies?: Draft['quickReplies'];
};

function contentOf(world: World, phone: Phone, type: string, bag: Bag): Content {
  const member = asBag(bag[type]);
  if (type === 'text') return textOf(member);
  if (mediaTypes.has(type)) return mediaOf(world, phone, type, member);
  if (type === 'template') return templateOf(world, phone, member ?? {});
  if (type === 'interactive')
    return { text: checkChatappInteractive(member), link: null, more: { interactive: member } };
  if (!otherTypes.has(type))
    throw new GraphError({ code: 131051, details: `Message type ${type} is not supported` });
  if (bag[type] === undefined) throw missing(type);
  checkCard(type, bag[type]);
  return { text: null, link: null, more: { [type]: bag[type] } };
}

function templateOf(world: World, phone: Phone, send: Bag): Content {
  const { text, media, category, quickReplies } = checkTemplateSend(world.settings, phone.waba, send);
  checkKnown(world, phone, media?.id);
  return {
    text,
    link: media?.link === undefined ? null : linkOf(world, media.type, media.link),
    isAuthentication: category === 'AUTHENTICATION',
    quickReplies,
  };
}

function checkKnown(world: World, phone: Phone, mediaId: string | undefined): void {
  const media = mediaId === undefined ? undefined : world.nodes.get(mediaId);
  const isAlive = media?.type === 'media' && !isOver(world, media);
  if (isAlive && world.settings.media_life && media.ownerPhone !== phone.id)
    throw missingObject(media.id, 'post');
  if (mediaId === undefined || isAlive) return;
  throw badParameter('Invalid parameter', `Media id ${mediaId} is not known`);
}

function linkOf(world: World, type: string, url: string): Draft['link'] {
  return { url, check: () => checkLink(world, 'chatapp', type, url) };
}

function textOf(member: Bag | undefined): Content {
  const plain = { text: bodyOf(member), link: null };
  return asFlag(member?.preview_url) === true ? { ...plain, more: { preview_url: true } } : plain;
}

function bodyOf(text: Bag | undefined): string {
  const body = asText(text?.body);
  if (body === undefined || body === '') throw missing("text['body']");
  if (Array.from(body).length > 4096)
    throw badParameter('Invalid parameter', "Param text['body'] must be at most 4096 characters long.");
  return body;
}

function mediaOf(world: World, phone: Phone, type: string, media: Bag | undefined): Content {
  const link = asText(media?.link);
  const id = asText(media?.id);
  const caption = asText(media?.caption) ?? null;
  if (link === undefined && id === undefined) throw missing(`${type}['link'] or ${type}['id']`);
  if (caption !== null && (type === 'audio' || type === 'sticker'))
    throw badParameter(`Unexpected key "caption" on param "${type}"`);
  if (caption !== null && caption.length > 1024)
    throw badParameter('Invalid parameter', `Param ${type}['caption'] must be at most 1024 characters long.`);
  checkKnown(world, phone, id);
  if (link !== undefined && !URL.canParse(link))
    throw badParameter('Invalid parameter', `Param ${type}['link'] is not a valid URL.`);
  const sent = {
    text: caption,
    link: link === undefined ? kept(world, type, id) : linkOf(world, type, link),
  };
  const upload = id === undefined ? {} : { id };
  if (media?.voice === undefined) return id === undefined ? sent : { ...sent, more: upload };
  if (type !== 'audio') throw badParameter(`Unexpected key "voice" on param "${type}"`);
  return { ...sent, more: { ...upload, voice: media.voice } };
}

/** A file that upstream has already is looked at once it is sent, as one behind a link is. */
function kept(world: World, type: string, id: string | undefined): Draft['link'] {
  const media = world.nodes.get(id ?? '');
  if (media?.type !== 'media') return null;
  const problem = checkUpload('chatapp', type, media.mimeType, sizeOf(media.content));
  return problem === null ? null : { url: media.id, check: () => Promise.resolve(problem) };
}

function missing(what: string): GraphError {
  return new GraphError({ code: 131008, details: `The parameter ${what} is required.` });
}
