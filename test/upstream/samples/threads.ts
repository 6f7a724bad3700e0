/**
 * Webhooks with `object: "page"` and `"instagram"`: one item shape, two envelopes. The parser does not rely on these types: they show what
 * upstream documents, and type the samples. [upstream §4.7, §4.8]
 */
interface ThreadPost {
  object: 'page' | 'instagram';
  /** `id`: page or photo account. `time`: ms. `standby`: another app may answer first. */
  entry: { id: string; time: number; messaging?: ThreadItem[]; standby?: ThreadItem[] }[];
}

/** In echoes sender and recipient are swapped. `timestamp`: ms. Each item has one of the kind members. */
type ThreadItem = { sender: { id: string }; recipient: { id: string }; timestamp: number } & (
  | { message: ThreadMessage }
  | { delivery: { mids?: string[]; watermark: number } }
  /** Pages send a watermark, photo accounts a message id. */
  | { read: { watermark: number } | { mid: string } }
  | { postback: { mid?: string; title: string; payload?: string } }
  | { reaction: { mid: string; action: 'react' | 'unreact'; reaction?: string; emoji?: string } }
  | { message_edit: { mid: string; text: string; num_edit: number } }
);

interface ThreadMessage {
  mid: string;
  text?: string;
  attachments?: ThreadAttachment[];
  quick_reply?: { payload: string };
  reply_to?: { mid: string } | { story: { id: string; url: string } };
  is_echo?: true;
  /** A number; only echoes of pages have app and metadata. */
  app_id?: number;
  metadata?: string;
  is_deleted?: true;
  is_unsupported?: true;
  is_self?: true;
}

interface ThreadAttachment {
  type: string;
  payload?: { url?: string; title?: string; sticker_id?: number; reel_video_id?: string } | null;
}

const page = { id: '520000000000005' };
const person = { id: '8800000000000001' };
const account = { id: '17840000000000006' };
const follower = { id: '9900000000000007' };

function pagePost(item: ThreadItem): ThreadPost {
  return { object: 'page', entry: [{ id: page.id, time: 1767225600123, messaging: [item] }] };
}

export const samplePageMessage = pagePost({
  sender: person,
  recipient: page,
  timestamp: 1767225599901,
  message: {
    mid: 'm_IN0002',
    text: 'two pictures',
    attachments: [
      { type: 'image', payload: { url: 'https://scontent.xx.fbcdn.net/v/t1/1.jpg?oe=inv' } },
      { type: 'image', payload: { url: 'https://scontent.xx.fbcdn.net/v/t1/2.jpg?oe=inv' } },
    ],
  },
});

export const samplePageEcho = pagePost({
  sender: page,
  recipient: person,
  timestamp: 1767225610000,
  message: {
    is_echo: true,
    app_id: 700100200300400,
    metadata: '5b0a7c1e-0000-4000-8000-000000000002',
    mid: 'm_OUT0001',
    text: 'We are open.',
  },
});

export const samplePageDelivery = pagePost({
  sender: person,
  recipient: page,
  timestamp: 1767225611000,
  delivery: { mids: ['m_OUT0001'], watermark: 1767225610500 },
});

export const samplePageRead = pagePost({
  sender: person,
  recipient: page,
  timestamp: 1767225640000,
  read: { watermark: 1767225639000 },
});

export const samplePhotoMessage: ThreadPost = {
  object: 'instagram',
  entry: [
    {
      id: account.id,
      time: 1767225600123,
      messaging: [
        {
          sender: follower,
          recipient: account,
          timestamp: 1767225600000,
          message: {
            mid: 'aWdfZAG1faXRlbToinv1',
            text: 'Nice cakes!',
            reply_to: {
              story: {
                id: '18000000000000001',
                url: 'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1',
              },
            },
          },
        },
      ],
    },
  ],
};
