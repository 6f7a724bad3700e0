/** Bodies and answers of send calls, and the error envelope of every endpoint. [upstream §3.1, §3.3, §3.4] */

interface ChatappAccepted {
  messaging_product: 'whatsapp';
  contacts: { input: string; wa_id?: string; user_id?: string }[];
  messages: { id: string; message_status?: string }[];
}

export const sampleChatappSend = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+4915900000777',
  type: 'text',
  text: { preview_url: false, body: 'Your order is ready.' },
  biz_opaque_callback_data: '5b0a7c1e-0000-4000-8000-000000000001',
};

export const sampleChatappAccepted = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '+4915900000777', wa_id: '4915900000777' }],
  messages: [{ id: 'wamid.HBgNNDkxNTkwMDAwMDc3NxUCABEYEjAwMDAwMDAwMDAwMDAwMDAwMQA=' }],
} satisfies ChatappAccepted;

interface PageAccepted {
  recipient_id: string;
  message_id: string;
}

export const samplePageSend = {
  recipient: { id: '8800000000000001' },
  messaging_type: 'RESPONSE',
  message: { text: 'Your order is ready.', metadata: '5b0a7c1e-0000-4000-8000-000000000001' },
};

export const samplePageAccepted = {
  recipient_id: '8800000000000001',
  message_id: 'm_invented0001',
} satisfies PageAccepted;

/** The error envelope of every endpoint. [upstream §3.4] */
interface WireError {
  error: {
    message: string;
    type: string;
    code: number;
    error_subcode?: number;
    is_transient?: boolean;
    error_user_title?: string;
    error_user_msg?: string;
    error_data?: string | { messaging_product?: string; details?: string };
    fbtrace_id?: string;
  };
}

export const sampleError = {
  error: {
    message: '(#131030) Recipient phone number not in allowed list',
    type: 'OAuthException',
    code: 131030,
    error_subcode: 2655007,
    is_transient: false,
    error_data: {
      messaging_product: 'whatsapp',
      details: 'Recipient phone number not in allowed list: add it and try again.',
    },
    fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
  },
} satisfies WireError;
