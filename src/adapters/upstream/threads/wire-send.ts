/** Bodies and answers of send calls. [upstream §3.3] */

export interface PageSend {
  recipient: { id: string };
  messaging_type: 'RESPONSE';
  /** `metadata` comes back in a page's echo; echoes of photo accounts carry none. */
  message: PageMessage & { metadata?: string };
}

/** There is no caption: a text and a file are two messages. */
export type PageMessage =
  | { text: string }
  | {
      attachment: {
        type: 'image' | 'audio' | 'video' | 'file';
        payload: { url: string; is_reusable: false };
      };
    };

interface PageAccepted {
  recipient_id: string;
  message_id: string;
}

export const samplePageSend = {
  recipient: { id: '8800000000000001' },
  messaging_type: 'RESPONSE',
  message: { text: 'Your order is ready.', metadata: '5b0a7c1e-0000-4000-8000-000000000001' },
} satisfies PageSend;

export const samplePageAccepted = {
  recipient_id: '8800000000000001',
  message_id: 'm_invented0001',
} satisfies PageAccepted;
