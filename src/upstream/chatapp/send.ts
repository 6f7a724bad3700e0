import { isDigits } from '../../rules/channels/recipient.ts';
import { profileAs } from '../../rules/channels/profile.ts';
import type { Content, MediaContent } from '../../rules/messages/content.ts';
import { recipientNames } from '../../rules/messages/recipient-names.ts';
import type { Accepted, Outgoing, SendForm } from '../kind.ts';
import { writeCard } from './cards.ts';
import type { ChatappCard } from './cards.ts';
import { writeInteractive } from './interactive.ts';
import type { ChatappInteractive } from './interactive.ts';
import { writeTemplate } from './template-send.ts';
import type { ChatappTemplate } from './template-send.ts';
import { asId, asList, asRecord } from '../read.ts';
import type { Json } from '../read.ts';

/** How chatapp sends. [upstream §3.1] */
export const sendForm: SendForm = {
  sender: ({ profile }) => profileAs(profile, 'chatapp')?.phoneNumberId ?? null,
  body: writeBody,
  accepted,
};

function writeBody({ messageId, recipient, content }: Outgoing): ChatappSend {
  const body: ChatappSend = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...writeRecipient(recipient),
    ...writeContent(content),
    biz_opaque_callback_data: messageId,
  };
  if (content.replyTo !== undefined) body.context = { message_id: content.replyTo };
  return body;
}

/** People without a visible number are addressed by their business-scoped id. [upstream §3.1, §4.1] */
function writeRecipient(recipient: string): ChatappRecipient {
  return isDigits(recipient) ? { to: `+${recipient}` } : { recipient };
}

function writeContent(content: Content): ChatappContent {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { preview_url: content.showsPreview === true, body: content.text } };
    case 'media':
      return writeMedia(content);
    case 'template':
      if ('variables' in content.template) throw new Error('a template that was not looked up');
      return { type: 'template', template: writeTemplate(content.template) };
    case 'location':
    case 'contacts':
    case 'reaction':
      return writeCard(content);
    case 'interactive':
      return { type: 'interactive', interactive: writeInteractive(content) };
    default:
      return content satisfies never;
  }
}

function writeMedia(media: MediaContent): ChatappContent {
  const { mediaType, caption, filename, isVoice } = media;
  const file = 'url' in media ? { link: media.url } : { id: media.uploadedId };
  const named = caption === null ? {} : { caption };
  switch (mediaType) {
    case 'image':
      return { type: mediaType, image: { ...file, ...named } };
    case 'video':
      return { type: mediaType, video: { ...file, ...named } };
    case 'audio':
      return { type: mediaType, audio: isVoice === true ? { ...file, voice: true } : file };
    case 'document':
      return { type: mediaType, document: { ...file, ...named, ...(filename === null ? {} : { filename }) } };
    default:
      return mediaType satisfies never;
  }
}

/** `wa_id` may differ from the dialled number (Brazil, Mexico, Argentina). [upstream §3.1] */
function accepted(answer: Json, recipient: string): Accepted | null {
  const upstreamId = asId(asRecord(asList(answer['messages'])[0])?.['id']);
  if (upstreamId === null) return null;
  const contact = asRecord(asList(answer['contacts'])[0]);
  const userId = asId(contact?.['user_id']) ?? undefined;
  return { upstreamId, ...recipientNames(recipient, asId(contact?.['wa_id']), userId) };
}

// Bodies and answers of send calls. [upstream §3.1]

/** `to` with its `+`: without it upstream may prepend the sender's country code. `recipient` for business-scoped ids. */
type ChatappRecipient = { to: string } | { recipient: string };

type ChatappSend = {
  messaging_product: 'whatsapp';
  recipient_type: 'individual';
  /** Our message id; every status of the message returns it. */
  biz_opaque_callback_data: string;
  /** The message that this one answers. */
  context?: { message_id: string };
} & ChatappRecipient &
  ChatappContent;

/** `id`: of an upload. */
type ChatappFile = { link: string } | { id: string };

type ChatappContent =
  | { type: 'text'; text: { preview_url: boolean; body: string } }
  | { type: 'image'; image: ChatappFile & { caption?: string } }
  | { type: 'video'; video: ChatappFile & { caption?: string } }
  | { type: 'audio'; audio: ChatappFile & { voice?: true } }
  | { type: 'document'; document: ChatappFile & { caption?: string; filename?: string } }
  | ChatappCard
  | { type: 'interactive'; interactive: ChatappInteractive }
  | { type: 'template'; template: ChatappTemplate };
