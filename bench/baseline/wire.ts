/** The few members of upstream's bodies that the baselines read. They are not validated, because our own load generator writes them. */

export interface UpstreamPost {
  entry: {
    changes: {
      value: {
        metadata: { phone_number_id: string };
        messages?: { id: string; from: string; timestamp: string; text: { body: string } }[];
        statuses?: {
          id: string;
          status: 'sent' | 'delivered' | 'read';
          recipient_id: string;
          biz_opaque_callback_data: string;
        }[];
      };
    }[];
  }[];
}

export interface SendBody {
  channel_id: string;
  recipient: string;
  text: string;
}

export type PostedValue = UpstreamPost['entry'][0]['changes'][0]['value'];

/** The only one: the loads POST each status and each message alone. */
export function readPost(body: Buffer): PostedValue {
  const post: UpstreamPost = JSON.parse(body.toString());
  const value = post.entry[0]?.changes[0]?.value;
  if (value === undefined) throw new Error('an empty POST');
  return value;
}

export function readSend(body: Buffer): SendBody {
  return JSON.parse(body.toString());
}

/** The message id that upstream returned for an accepted send. */
export function readAccepted(body: Buffer): string {
  const { messages }: { messages: { id: string }[] } = JSON.parse(body.toString());
  return messages[0]?.id ?? '';
}

export function chatappText(to: string, text: string, tag: string): string {
  return JSON.stringify({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${to}`,
    type: 'text',
    text: { preview_url: false, body: text },
    biz_opaque_callback_data: tag,
  });
}

/** In the envelope of the specification, so that the receiver gets as many bytes from a baseline as from the service. */
export function receivedEvent(messageId: string, from: string, text: string, seconds: string): Buffer {
  const content = { message_id: messageId, from, from_name: 'Mia Vogel', type: 'text', text };
  return envelope('message.received', messageId, new Date(Number(seconds) * 1_000), content);
}

export function statusEvent(messageId: string, status: string): Buffer {
  return envelope(`message.${status}`, messageId, new Date(), { message_id: messageId });
}

function envelope(event: string, channelId: string, at: Date, content: Record<string, string>): Buffer {
  const timestamp = at.toISOString();
  return Buffer.from(
    JSON.stringify({ event, channel_id: channelId, channel_type: 'chatapp', timestamp, data: content }),
  );
}
