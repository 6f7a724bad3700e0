import { asBag, asFlag, asList, asText, type Bag } from './bag.ts';
import { mayWriteTo } from './audience.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import { newPageMid, newPhotoMid } from './ids.ts';
import { checkKept, newAttachment, pageRefusals } from './kept-attachments.ts';
import { checkLink } from './links.ts';
import type { Page, Photo } from './model.ts';
import { pageRefusal } from './page-refusals.ts';
import { hasFeature } from './permissions.ts';
import type { Draft } from './send-draft.ts';
import { checkButtonTemplate, checkQuickReplies } from './send-interactive.ts';
import { tokenDeaths } from './token-deaths.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const attachmentTypes = new Set(['image', 'audio', 'video', 'file', 'template']);
const dayMs = 86_400_000;

/** Checks that the token belongs to the page; else throws GraphError 100/33. */
export function checkPageToken(page: Page, token: Token, method: string): void {
  if (token.kind !== 'page' || token.subject !== page.id) throw missingObject(page.id, method);
}

/**
 * Reads and checks a pagechat or photoapp send in upstream's order [upstream protocol 3.3, 9.4]. The recipient decides the channel: a
 * photoapp user is reached through the linked page. Throws GraphError 100 with its subcodes, 10, 200 or 551.
 */
export function draftPage(world: World, page: Page, token: Token, bag: Bag, isUpload: boolean): Draft {
  const { recipient, channel } = addressee(world, page, token, bag);
  const isTagged = checkMessagingType(world, bag);
  const message = asBag(bag.message);
  if (!message) throw badParameter('The parameter message is required');
  const content = contentOf(world, channel, message, isUpload);
  const id = channel.type === 'page' ? newPageMid() : newPhotoMid();
  const isPhoto = channel.type === 'photo';
  const kept = content.isReusable ? { attachment_id: newAttachment(world, page, isPhoto) } : {};
  return {
    kind: channel.type === 'page' ? 'pagechat' : 'photoapp',
    channel,
    recipient,
    ...content,
    tag: asText(message.metadata) ?? null,
    more: moreOf(bag, isTagged, content.more),
    quickReplies: [],
    id,
    isTemplate: false,
    isTagged,
    answer: { recipient_id: recipient, message_id: id, ...kept },
  };
}

/** The person that a call names, and the channel through which they are reached. */
export function addressee(
  world: World,
  page: Page,
  token: Token,
  bag: Bag,
): { recipient: string; channel: Page | Photo } {
  const recipient = asText(asBag(bag.recipient)?.id);
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  if (!/^\d{5,25}$/.test(recipient))
    throw badParameter('Parameter error: recipient id is not a valid scoped user id');
  const channel = channelFor(world, page, recipient);
  checkScopes(world, token, channel);
  if (!mayWriteTo(world, recipient))
    throw pageRefusal(world, channel.type === 'page' ? 'no_role' : 'photo_no_role');
  return { recipient, channel };
}

/** What is more than a plain text or file: the message that it answers, and the tag. */
function moreOf(bag: Bag, isTagged: boolean, own: Bag | undefined): Bag | null {
  const tag = isTagged ? { ...own, tag: bag.tag } : (own ?? null);
  if (bag.reply_to === undefined) return tag;
  const answered = asText(asBag(bag.reply_to)?.mid);
  if (answered === undefined || answered === '')
    throw badParameter('The parameter reply_to[mid] is required');
  return { ...tag, reply_to: { mid: answered } };
}

function channelFor(world: World, page: Page, recipient: string): Page | Photo {
  const known = world.nodes.get(recipient);
  const person = known?.type === 'person' ? known : undefined;
  const isPhoto = person ? person.kind === 'photoapp' : recipient.startsWith('99');
  const channel = isPhoto ? page.photo : page;
  if (!channel) throw pageRefusal(world, 'no_account');
  const isStranger = person ? person.home !== channel.id : world.settings.strict_people;
  if (isStranger) throw pageRefusal(world, isPhoto ? 'photo_stranger' : 'stranger');
  return channel;
}

/** The scopes that a send needs. Without those of photo accounts its person is no one; one client saw 190 without `pages_messaging`. */
function checkScopes(world: World, token: Token, channel: Page | Photo): void {
  const { photo_rights: isHidden, missing_scope_is_dead: isDead } = world.settings;
  if (channel.type === 'page') return requireScope(token, 'pages_messaging');
  if (isDead && !token.scopes.includes('pages_messaging'))
    throw new GraphError({ code: 190, status: 400, ...tokenDeaths.ungranted });
  if (isHidden && !token.scopes.includes('instagram_manage_messages')) throw pageRefusal(world, 'stranger');
  requireScope(token, 'instagram_manage_messages');
}

function requireScope(token: Token, scope: string): void {
  if (token.scopes.includes(scope)) return;
  throw new GraphError({
    code: 200,
    status: 403,
    message: `(#200) This action requires the permission ${scope}`,
  });
}

/** Whether the send has the tag that extends the window to seven days; other tags are refused since 2026-04 [upstream protocol 3.3]. */
function checkMessagingType({ settings }: World, bag: Bag): boolean {
  const type = asText(bag.messaging_type);
  if (type !== undefined && !['RESPONSE', 'UPDATE', 'MESSAGE_TAG'].includes(type))
    throw badParameter('Invalid messaging_type');
  if (type !== 'MESSAGE_TAG') return false;
  const isAllowed = !settings.human_agent_needs_feature || hasFeature(settings, 'human_agent');
  if (bag.tag === 'HUMAN_AGENT' && isAllowed) return true;
  const subcode = bag.tag === 'HUMAN_AGENT' ? undefined : 1893061;
  throw new GraphError({ code: 100, subcode, message: '(#100) Message tag is not supported' });
}

type Content = Pick<Draft, 'type' | 'text' | 'echo' | 'link'> & {
  readonly isReusable?: boolean;
  readonly more?: Bag;
};

function contentOf(world: World, channel: Page | Photo, message: Bag, isUpload: boolean): Content {
  const text = asText(message.text);
  const attachment = asBag(message.attachment) ?? asBag(asList(message.attachments)?.[0]);
  if ((asText(message.metadata) ?? '').length > 1000)
    throw badParameter('Length of param message[metadata] must be less than or equal to 1000');
  if (text !== undefined && attachment) throw badParameter('Message cannot contain both text and attachment');
  if (attachment) return attachmentOf(world, channel, attachment, isUpload);
  if (text === undefined || text === '')
    throw badParameter('Message cannot be empty, must provide valid attachment or text');
  const limit = channel.type === 'page' ? 2000 : 1000;
  if (Array.from(text).length > limit)
    throw badParameter(`Length of param message[text] must be less than or equal to ${limit}`);
  const { text_bytes: bytes } = world.settings;
  if (channel.type === 'photo' && bytes > 0 && Buffer.byteLength(text) > bytes)
    throw badParameter(`Length of param message[text] must be less than or equal to ${bytes}`);
  const { quick_replies: replies } = message;
  if (replies === undefined) return { type: 'text', text, echo: { text }, link: null };
  checkQuickReplies(replies);
  return { type: 'text', text, echo: { text }, link: null, more: { quick_replies: replies } };
}

/** An attachment of a send, or one to be kept. Throws GraphError 100. */
export function attachmentOf(
  world: World,
  channel: Page | Photo,
  attachment: Bag,
  isUpload: boolean,
): Content {
  const type = asText(attachment.type)?.toLowerCase() ?? '';
  const payload = asBag(attachment.payload);
  if (!attachmentTypes.has(type))
    throw badParameter(
      `Param message[attachment][type] must be one of {AUDIO, FILE, IMAGE, VIDEO, TEMPLATE}`,
    );
  const url = asText(payload?.url);
  const echo = { attachments: [{ type, payload: url === undefined ? payload : { url } }] };
  const common = { type, text: null, echo, isReusable: asFlag(payload?.is_reusable) === true };
  if (type === 'template' && payload?.template_type === 'button') {
    checkButtonTemplate(payload);
    return { ...common, text: asText(payload.text) ?? null, link: null, more: { template: payload } };
  }
  if (type === 'template' || (url === undefined && isUpload)) return { ...common, link: null };
  if (url === undefined) {
    const id = asText(payload?.attachment_id);
    checkKept(world, channel, id);
    return { ...common, isReusable: false, link: null, more: { attachment_id: id } };
  }
  if (!URL.canParse(url)) throw new GraphError(pageRefusals.unreachable);
  const kind = channel.type === 'page' ? 'pagechat' : 'photoapp';
  return { ...common, link: { url, check: () => checkLink(world, kind, type, url) } };
}

/** Blocks and thread control always apply; the window only if switched on [upstream protocol 3.3, 3.6]. */
export function checkConversation(
  world: World,
  draft: Pick<Draft, 'channel' | 'recipient' | 'isTagged'>,
): void {
  const { channel } = draft;
  if (channel.type === 'phone') return;
  const conversation = world.conversation(channel.id, draft.recipient);
  if (conversation.blocked) throw pageRefusal(world, 'blocked');
  if (conversation.owner !== null && conversation.owner !== world.app.id)
    throw pageRefusal(world, channel.type === 'page' ? 'other_owner' : 'photo_other_owner');
  const window = draft.isTagged ? 7 * dayMs : dayMs;
  if (!world.settings.windows || world.now() - conversation.lastInboundAt <= window) return;
  throw pageRefusal(world, channel.type === 'page' ? 'window' : 'photo_window');
}
