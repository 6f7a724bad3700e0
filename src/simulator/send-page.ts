import { bagOf, listOf, textOf, type Bag } from './bag.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import { newPageMid, newPhotoMid } from './ids.ts';
import { checkLink } from './links.ts';
import type { Page, Photo } from './model.ts';
import type { Draft } from './send-api.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const attachmentTypes = new Set(['image', 'audio', 'video', 'file', 'template']);
const dayMs = 86_400_000;

/** The page may be used with this token; 100/33 otherwise. */
export function checkPageToken(page: Page, token: Token, method: string): void {
  if (token.kind !== 'page' || token.subject !== page.id) throw missingObject(page.id, method);
}

/** Typing and mark-seen answer only the recipient. */
export function senderActionAnswer(bag: Bag): Record<string, unknown> | undefined {
  if (textOf(bag.sender_action) === undefined) return undefined;
  const recipient = textOf(bagOf(bag.recipient)?.id);
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  return { recipient_id: recipient };
}

/**
 * A pagechat or photoapp send read and checked in upstream's order [upstream protocol 3.3, 9.4]. The recipient decides which: a
 * photoapp user is written to through the linked page. Throws GraphError 100 with its subcodes, 10, 200 or 551.
 */
export function draftPage(world: World, page: Page, token: Token, bag: Bag): Draft {
  const recipient = textOf(bagOf(bag.recipient)?.id);
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  if (!/^\d{5,25}$/.test(recipient))
    throw badParameter('Parameter error: recipient id is not a valid scoped user id');
  const channel = channelFor(world, page, recipient);
  requireScope(token, channel.type === 'page' ? 'pages_messaging' : 'instagram_manage_messages');
  const isTagged = checkMessagingType(bag);
  const message = bagOf(bag.message);
  if (!message) throw badParameter('The parameter message is required');
  const content = contentOf(world, channel, message);
  const id = channel.type === 'page' ? newPageMid() : newPhotoMid();
  return {
    kind: channel.type === 'page' ? 'pagechat' : 'photoapp',
    channel,
    recipient,
    ...content,
    tag: textOf(message.metadata) ?? null,
    id,
    isTemplate: false,
    isTagged,
    answer: { recipient_id: recipient, message_id: id },
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

/** Whether the send carries the one tag that opens seven days; the others are refused since 2026-04 [upstream protocol 3.3]. */
function checkMessagingType(bag: Bag): boolean {
  const type = textOf(bag.messaging_type);
  if (type !== undefined && !['RESPONSE', 'UPDATE', 'MESSAGE_TAG'].includes(type))
    throw badParameter('Invalid messaging_type');
  if (type !== 'MESSAGE_TAG') return false;
  if (bag.tag !== 'HUMAN_AGENT') throw badParameter('Message tag is not supported');
  return true;
}

type Content = Pick<Draft, 'type' | 'text' | 'echo' | 'link'>;

function contentOf(world: World, channel: Page | Photo, message: Bag): Content {
  const text = textOf(message.text);
  const attachment = bagOf(message.attachment) ?? bagOf(listOf(message.attachments)?.[0]);
  if ((textOf(message.metadata) ?? '').length > 1000)
    throw badParameter('Length of param message[metadata] must be less than or equal to 1000');
  if (text !== undefined && attachment) throw badParameter('Message cannot contain both text and attachment');
  if (attachment) return attachmentOf(world, channel, attachment);
  if (text === undefined || text === '')
    throw badParameter('Message cannot be empty, must provide valid attachment or text');
  const limit = channel.type === 'page' ? 2000 : 1000;
  if (text.length > limit)
    throw badParameter(`Length of param message[text] must be less than or equal to ${limit}`);
  return { type: 'text', text, echo: { text }, link: null };
}

function attachmentOf(world: World, channel: Page | Photo, attachment: Bag): Content {
  const type = textOf(attachment.type) ?? '';
  const payload = bagOf(attachment.payload);
  if (!attachmentTypes.has(type))
    throw badParameter(
      `Param message[attachment][type] must be one of {AUDIO, FILE, IMAGE, VIDEO, TEMPLATE}`,
    );
  const url = textOf(payload?.url);
  const echo = { attachments: [{ type, payload: url === undefined ? payload : { url } }] };
  if (type === 'template') return { type, text: null, echo, link: null };
  if (url === undefined) {
    if (textOf(payload?.attachment_id) === undefined) throw badParameter('The parameter url is required');
    return { type, text: null, echo, link: null };
  }
  if (!URL.canParse(url))
    throw new GraphError({
      code: 100,
      subcode: 2018008,
      message: '(#100) Failed to fetch the file from the url',
    });
  const kind = channel.type === 'page' ? 'pagechat' : 'photoapp';
  return { type, text: null, echo, link: { url, check: () => checkLink(world, kind, type, url) } };
}

/** Blocks and thread control always; the window only when switched on [upstream protocol 3.3, 3.6]. */
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
