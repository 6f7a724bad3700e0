/**
 * Webhooks with `object: "whatsapp_business_account"`. The parser does not rely on these types: they show what upstream documents, and type
 * the samples. [upstream §4.1–4.6]
 */
interface ChatappPost {
  object: 'whatsapp_business_account';
  /** `id`: business account. */
  entry: { id: string; time?: number; changes: ChatappChange[] }[];
}

type ChatappChange =
  | { field: 'messages'; value: ChatappNumber & ChatappMessages }
  | { field: 'smb_message_echoes'; value: ChatappNumber & { message_echoes: ChatappEcho[] } }
  | {
      field: 'message_template_status_update';
      value: TemplateName & { event: string; reason?: string | null };
    }
  | {
      field: 'template_category_update';
      value: TemplateName & { new_category: string; previous_category?: string };
    };

/** Identifies the number, because a business account has several. */
interface ChatappNumber {
  messaging_product: 'whatsapp';
  metadata: { display_phone_number: string; phone_number_id: string };
  contacts?: { profile?: { name?: string; username?: string }; wa_id?: string; user_id?: string }[];
}

interface ChatappMessages {
  messages?: ({ from?: string; from_user_id?: string } & ChatappMessage)[];
  statuses?: ChatappStatus[];
}

type ChatappEcho = { from: string; to: string; to_user_id?: string } & ChatappMessage;

/** `timestamp`: seconds, as text. The content is the member with the name of the type. */
interface ChatappMessage {
  id: string;
  timestamp: string;
  type: string;
  text?: { body: string };
  image?: ChatappMedia;
  video?: ChatappMedia;
  audio?: ChatappMedia;
  document?: ChatappMedia;
  sticker?: ChatappMedia;
}

interface ChatappMedia {
  id: string;
  mime_type: string;
  sha256: string;
  caption?: string;
  filename?: string;
  voice?: boolean;
  animated?: boolean;
  url?: string;
}

interface ChatappStatus {
  id: string;
  status: 'sent' | 'delivered' | 'read' | 'failed' | 'played' | 'deleted' | 'warning';
  timestamp: string;
  recipient_id?: string;
  recipient_user_id?: string;
  biz_opaque_callback_data?: string;
  errors?: {
    code: number;
    title?: string;
    message?: string;
    error_data?: { details: string };
    href?: string;
  }[];
}

interface TemplateName {
  /** A number here, text everywhere else. */
  message_template_id: number;
  message_template_name: string;
  message_template_language: string;
}

const number: ChatappNumber = {
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550100042', phone_number_id: '422300000000002' },
};

const mia = {
  profile: { name: 'Mia Vogel', username: 'mia.v' },
  wa_id: '4915900000777',
  user_id: 'DE.20260000000000000042',
};

function writePost(change: ChatappChange): ChatappPost {
  return { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes: [change] }] };
}

export const sampleChatappMessage = writePost({
  field: 'messages',
  value: {
    ...number,
    contacts: [mia],
    messages: [
      {
        from: '4915900000777',
        from_user_id: 'DE.20260000000000000042',
        id: 'wamid.IN0001',
        timestamp: '1767225600',
        type: 'text',
        text: { body: 'Hello, are you open?' },
      },
    ],
  },
});

export const sampleChatappStatus = writePost({
  field: 'messages',
  value: {
    ...number,
    statuses: [
      {
        id: 'wamid.HBgN0001',
        status: 'failed',
        timestamp: '1767225605',
        recipient_id: '4915900000777',
        biz_opaque_callback_data: '5b0a7c1e-0000-4000-8000-000000000001',
        errors: [
          {
            code: 131047,
            title: 'Re-engagement message',
            message: 'Re-engagement message',
            error_data: { details: "The user's last message is older than 24 hours" },
          },
        ],
      },
    ],
  },
});

export const sampleChatappEcho = writePost({
  field: 'smb_message_echoes',
  value: {
    ...number,
    contacts: [{ wa_id: '4915900000777', user_id: 'DE.20260000000000000042' }],
    message_echoes: [
      {
        from: '15550100042',
        to: '4915900000777',
        to_user_id: 'DE.20260000000000000042',
        id: 'wamid.ECHO0001',
        timestamp: '1767225720',
        type: 'text',
        text: { body: 'We open at nine.' },
      },
    ],
  },
});

export const sampleTemplateStatus = writePost({
  field: 'message_template_status_update',
  value: {
    event: 'REJECTED',
    message_template_id: 900000000000091,
    message_template_name: 'order_ready',
    message_template_language: 'en_US',
    reason: 'INVALID_FORMAT',
  },
});
