import type { Content } from '../../rules/messages/content.ts';
import type { Accepted, Outgoing, UploadForm } from '../kind.ts';
import { writeInteractive } from './interactive.ts';
import type { PageInteractive } from './interactive.ts';
import type { Signal, Signalled } from '../signal-calls.ts';
import type { MediaType } from '../../rules/messages/message.ts';
import { asId } from '../read.ts';
import type { Json } from '../read.ts';

// Bodies and answers of send calls. [upstream §3.3]

interface PageSend {
  recipient: { id: string };
  messaging_type: 'RESPONSE' | 'MESSAGE_TAG';
  tag?: 'HUMAN_AGENT';
  /** The message that this one answers. */
  reply_to?: { mid: string };
  /** `metadata` comes back in a page's echo; echoes of photo accounts carry none. */
  message: PageMessage & { metadata?: string };
}

/** There is no caption: a text and a file are two messages. */
type PageMessage =
  | { text: string }
  | PageInteractive
  | {
      attachment: {
        type: ReturnType<typeof attachmentType>;
        payload: { url: string; is_reusable: false } | { attachment_id: string };
      };
    };

/** `metadata` comes back in the echo, if the kind's echoes carry it. [upstream §3.3] */
export function pageBody({ recipient, content }: Outgoing, metadata: string | null): PageSend {
  const tag = metadata === null ? {} : { metadata };
  const body: PageSend = {
    recipient: { id: recipient },
    messaging_type: 'RESPONSE',
    message: { ...writeMessage(content), ...tag },
  };
  if (content.replyTo !== undefined) body.reply_to = { mid: content.replyTo };
  if (content.tag === 'human_agent') {
    body.messaging_type = 'MESSAGE_TAG';
    body.tag = 'HUMAN_AGENT';
  }
  return body;
}

function writeMessage(content: Content): PageMessage {
  switch (content.type) {
    case 'text':
      return { text: content.text };
    case 'media': {
      const type = attachmentType(content.mediaType);
      const payload =
        'url' in content
          ? { url: content.url, is_reusable: false as const }
          : { attachment_id: content.uploadedId };
      return { attachment: { type, payload } };
    }
    case 'interactive':
      return writeInteractive(content);
    case 'location':
    case 'contacts':
    case 'reaction':
    case 'template':
      throw new Error(`${content.type} is not for pages`); // the kind's `canSend` has refused it
    default:
      return content satisfies never;
  }
}

const attachmentType = (mediaType: MediaType) => (mediaType === 'document' ? 'file' : mediaType);

/** Files of the page; of photo accounts too, whose `platform` is named. [upstream §5.2] */
export function pageUpload(platform: 'instagram' | null): UploadForm {
  return {
    edge: 'message_attachments',
    fields: ({ mediaType }) => ({
      ...(platform === null ? {} : { platform }),
      message: JSON.stringify({
        attachment: { type: attachmentType(mediaType), payload: { is_reusable: true } },
      }),
    }),
    fileField: 'filedata',
    named: ({ mediaType, mimeType, filename }) => {
      const name = filename ?? mediaType;
      return { mimeType, filename: platform === null ? name : name.replaceAll(/[^\x20-\x7e]/gu, '_') };
    },
    idMember: 'attachment_id',
  };
}

/** Both are about the conversation, whatever the message. [upstream §3.3] */
export function pageSignal(signal: Signal, { person }: Signalled): Json {
  return { recipient: { id: person }, sender_action: signal === 'read' ? 'mark_seen' : 'typing_on' };
}

export function accepted(answer: Json): Accepted | null {
  const upstreamId = asId(answer['message_id']);
  return upstreamId === null ? null : { upstreamId };
}
