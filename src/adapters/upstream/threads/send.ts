import type { Accepted, Outgoing } from '../kind.ts';
import { idOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { PageSend } from './wire-send.ts';

/** `metadata` comes back with the echo, where the kind's echoes carry any. [upstream §3.3] */
export function pageBody({ recipient, content }: Outgoing, metadata: string | null): PageSend {
  const message = metadata === null ? { text: content.text } : { text: content.text, metadata };
  return { recipient: { id: recipient }, messaging_type: 'RESPONSE', message };
}

export function accepted(answer: Json): Accepted | null {
  const upstreamId = idOf(answer['message_id']);
  return upstreamId === null ? null : { upstreamId, recipientAlias: null };
}
