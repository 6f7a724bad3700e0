import { asBag, asFlag, asList, asText, type Bag } from './bag.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import { newDigits, newPageMid, newPhotoMid } from './ids.ts';
import { checkLink } from './links.ts';
import type { Page, Photo } from './model.ts';
import type { Draft } from './send-draft.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const attachmentTypes = new Set(['image', 'audio', 'video', 'file', 'template']);
const dayMs = 86_400_000;

/** Checks that the token belongs to the page; else throws GraphError 100/33. */
export function checkPageToken(page: Page, token: Token, method: string): void {
  if (token.kind !== 'page' || token.subject !== page.id) throw missingObject(page.id, method);
}

/** The answer to typing and mark-seen: only the recipient. */
export function senderActionAnswer(bag: Bag): Record<string, unknown> | undefined {
  if (asText(bag.sender_action) === undefined) return undefined;
  const recipient = asText(asBag(bag.recipient)?.id);
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  return { recipient_id: recipient };
}

/** `POST /{page}/message_attachments`: stores a file for later sends. */
export async function keepAttachment(
  world: World,
  page: Page,
  bag: Bag,
  isUpload: boolean,
): Promise<{ attachment_id: string }> {
  const attachment = asBag(asBag(bag.message)?.attachment);
  if (!attachment) throw badParameter('The parameter message is required');
  const { link } = attachmentOf(world, page, attachment, isUpload);
  const problem = (await link?.check()) ?? null;
  if (problem) throw new GraphError(pageRefusals[problem.reason]);
  return { attachment_id: newAttachment(world, page) };
}

function newAttachment(world: World, page: Page): string {
  const id = newDigits('19', 16);
  world.keepAttachment(id, page.id);
  return id;
}

/** Refusals of pages when a file cannot be fetched or used [upstream protocol 3.6]. */
export const pageRefusals = {
  unreachable: { code: 100, subcode: 2018008, message: '(#100) Failed to fetch the file from the url' },
  wrong_type: { code: 100, subcode: 2018047, message: '(#100) Upload attachment failure.' },
  too_big: { code: 100, subcode: 2018109, message: '(#100) Attachment size exceeds allowable limit' },
  corrupt: {
    code: 100,
    subcode: 2018294,
    message: '(#100) Video fetching is timed out or the video is corrupt',
  },
} as const;

/**
 * Reads and checks a pagechat or photoapp send in upstream's order [upstream protocol 3.3, 9.4]. The recipient decides the channel: a
 * photoapp user is reached through the linked page. Throws GraphError 100 with its subcodes, 10, 200 or 551.
 */
export function draftPage(world: World, page: Page, token: Token, bag: Bag, isUpload: boolean): Draft {
  const recipient = asText(asBag(bag.recipient)?.id);
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  if (!/^\d{5,25}$/.test(recipient))
    throw badParameter('Parameter error: recipient id is not a valid scoped user id');
  const channel = channelFor(world, page, recipient);
  requireScope(token, channel.type === 'page' ? 'pages_messaging' : 'instagram_manage_messages');
  const isTagged = checkMessagingType(bag);
  const message = asBag(bag.message);
  if (!message) throw badParameter('The parameter message is required');
  const content = contentOf(world, channel, message, isUpload);
  const id = channel.type === 'page' ? newPageMid() : newPhotoMid();
  const kept = content.isReusable ? { attachment_id: newAttachment(world, page) } : {};
  return {
    kind: channel.type === 'page' ? 'pagechat' : 'photoapp',
    channel,
    recipient,
    ...content,
    tag: asText(message.metadata) ?? null,
    id,
    isTemplate: false,
    isTagged,
    answer: { recipient_id: recipient, message_id: id, ...kept },
  };
}

function channelFor(world: World, page: Page, recipient: string): Page | Photo {
  const known = world.nodes.get(recipient);
  const person = known?.type === 'person' ? known : undefined;
  const isPhoto = person ? person.kind === 'photoapp' : recipient.startsWith('99');
  const channel = isPhoto ? page.photo : page;
  if (!channel)
    throw new GraphError({
      code: 10,
      subcode: 2534077,
      message: '(#10) The Page is not linked to an Instagram account',
    });
  const isStranger = person ? person.home !== channel.id : world.settings.strict_people;
  if (!isStranger) return channel;
  const subcode = isPhoto ? 2534014 : 2018001;
  throw new GraphError({ code: 100, subcode, message: '(#100) No matching user found' });
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
function checkMessagingType(bag: Bag): boolean {
  const type = asText(bag.messaging_type);
  if (type !== undefined && !['RESPONSE', 'UPDATE', 'MESSAGE_TAG'].includes(type))
    throw badParameter('Invalid messaging_type');
  if (type !== 'MESSAGE_TAG') return false;
  if (bag.tag !== 'HUMAN_AGENT') throw badParameter('Message tag is not supported');
  return true;
}

type Content = Pick<Draft, 'type' | 'text' | 'echo' | 'link'> & { readonly isReusable?: boolean };

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
  return { type: 'text', text, echo: { text }, link: null };
}

function attachmentOf(world: World, channel: Page | Photo, attachment: Bag, isUpload: boolean): Content {
  const type = asText(attachment.type)?.toLowerCase() ?? '';
  const payload = asBag(attachment.payload);
  if (!attachmentTypes.has(type))
    throw badParameter(
      `Param message[attachment][type] must be one of {AUDIO, FILE, IMAGE, VIDEO, TEMPLATE}`,
    );
  const url = asText(payload?.url);
  const echo = { attachments: [{ type, payload: url === undefined ? payload : { url } }] };
  const common = { type, text: null, echo, isReusable: asFlag(payload?.is_reusable) === true };
  if (type === 'template' || (url === undefined && isUpload)) return { ...common, link: null };
  if (url === undefined) {
    checkKept(world, channel, asText(payload?.attachment_id));
    return { ...common, isReusable: false, link: null };
  }
  if (!URL.canParse(url)) throw new GraphError(pageRefusals.unreachable);
  const kind = channel.type === 'page' ? 'pagechat' : 'photoapp';
  return { ...common, link: { url, check: () => checkLink(world, kind, type, url) } };
}

function checkKept(world: World, channel: Page | Photo, id: string | undefined): void {
  if (id === undefined) throw badParameter('The parameter url is required');
  const page = channel.type === 'page' ? channel : channel.page;
  if (world.attachments.get(id) === page.id) return;
  throw new GraphError({ code: 100, subcode: 2018074, message: '(#100) Invalid attachment ID' });
}

/** Blocks and thread control always apply; the window only if switched on [upstream protocol 3.3, 3.6]. */
export function checkConversation(world: World, draft: Draft): void {
  const { channel } = draft;
  if (channel.type === 'phone') return;
  const conversation = world.conversation(channel.id, draft.recipient);
  if (conversation.blocked)
    throw new GraphError({
      code: 551,
      subcode: 1545041,
      message: "(#551) This person isn't available right now.",
    });
  if (conversation.owner !== null && conversation.owner !== world.app.id) {
    throw new GraphError({
      code: 10,
      subcode: 2018300,
      message: '(#10) Message failed to send because another app is controlling this thread now.',
    });
  }
  const window = draft.isTagged ? 7 * dayMs : dayMs;
  if (!world.settings.windows || world.now() - conversation.lastInboundAt <= window) return;
  const subcode = channel.type === 'page' ? 2018278 : 2534022;
  throw new GraphError({
    code: 10,
    subcode,
    message: '(#10) This message is sent outside of allowed window.',
  });
}
