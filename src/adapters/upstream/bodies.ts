import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { Content } from '../../domain/messages/message.ts';
import { idOf, listOf, recordOf } from './wire/read.ts';
import type { Json } from './wire/read.ts';
import type { ChatappContent, ChatappRecipient, ChatappSend, PageSend } from './wire/send.ts';

/** What is sent, apart from how. */
export interface Outgoing {
  messageId: string;
  recipient: string;
  content: Content;
}

export interface Accepted {
  upstreamId: string;
  recipientAlias: string | null;
}

/** How one kind of channel sends. */
export interface SendForm {
  /** The node whose `/messages` is called; null when the channel misses it. */
  sender(channel: Channel): string | null;
  body(outgoing: Outgoing): ChatappSend | PageSend;
  /** null: the answer names no message. */
  accepted(answer: Json, outgoing: Outgoing): Accepted | null;
}

/** A photo account sends through its page, with the page's token. [upstream §3.3] */
export const sendForms: Record<ChannelType, SendForm> = {
  chatapp: { sender: (channel) => channel.phoneNumberId, body: chatappBody, accepted: chatappAccepted },
  pagechat: {
    sender: (channel) => channel.pageId,
    body: (outgoing) => pageBody(outgoing, outgoing.messageId),
    accepted: pageAccepted,
  },
  photoapp: {
    sender: (channel) => channel.pageId,
    body: (outgoing) => pageBody(outgoing, null),
    accepted: pageAccepted,
  },
};

const digits = /^[0-9]+$/;

function chatappBody({ messageId, recipient, content }: Outgoing): ChatappSend {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...chatappRecipient(recipient),
    ...chatappContent(content),
    biz_opaque_callback_data: messageId,
  };
}

/** People without a visible number are answered by their business-scoped id. [upstream §3.1, §4.1] */
function chatappRecipient(recipient: string): ChatappRecipient {
  return digits.test(recipient) ? { to: `+${recipient}` } : { recipient };
}

function chatappContent(content: Content): ChatappContent {
  return { type: 'text', text: { preview_url: false, body: content.text } };
}

function pageBody({ recipient, content }: Outgoing, metadata: string | null): PageSend {
  const message = metadata === null ? { text: content.text } : { text: content.text, metadata };
  return { recipient: { id: recipient }, messaging_type: 'RESPONSE', message };
}

/** `wa_id` may differ from what was dialled (Brazil, Mexico, Argentina): inbound comes from that one. [upstream §3.1] */
function chatappAccepted(answer: Json, { recipient }: Outgoing): Accepted | null {
  const upstreamId = idOf(recordOf(listOf(answer['messages'])[0])?.['id']);
  if (upstreamId === null) return null;
  const known = idOf(recordOf(listOf(answer['contacts'])[0])?.['wa_id']);
  return { upstreamId, recipientAlias: known === recipient ? null : known };
}

function pageAccepted(answer: Json): Accepted | null {
  const upstreamId = idOf(answer['message_id']);
  return upstreamId === null ? null : { upstreamId, recipientAlias: null };
}
