/** Bodies and answers of send calls. [upstream §3.1] */

/** `to` with its `+`: without it upstream may prepend the sender's country code. `recipient` for business-scoped ids. */
export type ChatappRecipient = { to: string } | { recipient: string };

export type ChatappSend = {
  messaging_product: 'whatsapp';
  recipient_type: 'individual';
  /** Our message id; every status of the message returns it. */
  biz_opaque_callback_data: string;
} & ChatappRecipient &
  ChatappContent;

export type ChatappContent =
  | { type: 'text'; text: { preview_url: boolean; body: string } }
  | { type: 'image'; image: { link: string; caption?: string } }
  | { type: 'video'; video: { link: string; caption?: string } }
  | { type: 'audio'; audio: { link: string } }
  | { type: 'document'; document: { link: string; caption?: string; filename?: string } }
  | { type: 'template'; template: ChatappTemplate };

/** A filled template. [upstream §3.2] */
export interface ChatappTemplate {
  name: string;
  language: { code: string };
  /** Absent if there is nothing to fill. */
  components?: ChatappComponent[];
}

export type ChatappComponent =
  | { type: 'header' | 'body'; parameters: ChatappParameter[] }
  | { type: 'button'; sub_type: string; index: string; parameters: ChatappButtonParameter[] };

export type ChatappParameter =
  | { type: 'text'; text: string; parameter_name?: string }
  | { type: 'image'; image: { link: string } }
  | { type: 'video'; video: { link: string } }
  | { type: 'document'; document: { link: string } }
  | {
      type: 'location';
      location: { latitude: string; longitude: string; name: string; address: string };
    };

export type ChatappButtonParameter =
  | { type: 'text'; text: string }
  | { type: 'payload'; payload: string }
  | { type: 'coupon_code'; coupon_code: string }
  | { type: 'action'; action: { flow_token: string } };

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
} satisfies ChatappSend;

export const sampleChatappAccepted = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '+4915900000777', wa_id: '4915900000777' }],
  messages: [{ id: 'wamid.HBgNNDkxNTkwMDAwMDc3NxUCABEYEjAwMDAwMDAwMDAwMDAwMDAwMQA=' }],
} satisfies ChatappAccepted;
