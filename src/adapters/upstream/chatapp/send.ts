import { profileAs } from '../../../domain/channels/profile.ts';
import type { Content, MediaContent } from '../../../domain/messages/content.ts';
import type { Accepted, Outgoing, SendForm } from '../kind.ts';
import { writeTemplate } from './send-template.ts';
import { asId, asList, asRecord } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { ChatappContent, ChatappRecipient, ChatappSend } from './wire-send.ts';

/** How chatapp sends. [upstream §3.1] */
export const sendForm: SendForm = {
  sender: ({ profile }) => profileAs(profile, 'chatapp')?.phoneNumberId ?? null,
  body,
  accepted,
};

const digits = /^[0-9]+$/;

function body({ messageId, recipient, content }: Outgoing): ChatappSend {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...writeRecipient(recipient),
    ...writeContent(content),
    biz_opaque_callback_data: messageId,
  };
}

/** People without a visible number are addressed by their business-scoped id. [upstream §3.1, §4.1] */
function writeRecipient(recipient: string): ChatappRecipient {
  return digits.test(recipient) ? { to: `+${recipient}` } : { recipient };
}

function writeContent(content: Content): ChatappContent {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { preview_url: false, body: content.text } };
    case 'media':
      return writeMedia(content);
    case 'template':
      if ('variables' in content.template) throw new Error('a template that was not looked up');
      return { type: 'template', template: writeTemplate(content.template) };
    default:
      return content satisfies never;
  }
}

function writeMedia({ mediaType, url: link, caption, filename }: MediaContent): ChatappContent {
  const named = caption === null ? {} : { caption };
  switch (mediaType) {
    case 'image':
      return { type: mediaType, image: { link, ...named } };
    case 'video':
      return { type: mediaType, video: { link, ...named } };
    case 'audio':
      return { type: mediaType, audio: { link } };
    case 'document':
      return { type: mediaType, document: { link, ...named, ...(filename === null ? {} : { filename }) } };
    default:
      return mediaType satisfies never;
  }
}

/** `wa_id` may differ from the dialled number (Brazil, Mexico, Argentina); the person's messages then come from it. [upstream §3.1] */
function accepted(answer: Json, { recipient }: Outgoing): Accepted | null {
  const upstreamId = asId(asRecord(asList(answer['messages'])[0])?.['id']);
  if (upstreamId === null) return null;
  const known = asId(asRecord(asList(answer['contacts'])[0])?.['wa_id']);
  return { upstreamId, recipientAlias: known === recipient ? null : known };
}
