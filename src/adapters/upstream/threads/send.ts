import type { Content } from '../../../domain/messages/content.ts';
import type { Accepted, Outgoing } from '../kind.ts';
import { asId } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { PageMessage, PageSend } from './wire-send.ts';

/** `metadata` comes back in the echo, if the kind's echoes carry it. [upstream §3.3] */
export function pageBody({ recipient, content }: Outgoing, metadata: string | null): PageSend {
  const tag = metadata === null ? {} : { metadata };
  return {
    recipient: { id: recipient },
    messaging_type: 'RESPONSE',
    message: { ...writeMessage(content), ...tag },
  };
}

function writeMessage(content: Content): PageMessage {
  switch (content.type) {
    case 'text':
      return { text: content.text };
    case 'media': {
      const type = content.mediaType === 'document' ? 'file' : content.mediaType;
      return { attachment: { type, payload: { url: content.url, is_reusable: false } } };
    }
    case 'template':
      throw new Error('templates are not for pages'); // the kind's `canSend` has refused it
    default:
      return content satisfies never;
  }
}

export function accepted(answer: Json): Accepted | null {
  const upstreamId = asId(answer['message_id']);
  return upstreamId === null ? null : { upstreamId, recipientAlias: null };
}
