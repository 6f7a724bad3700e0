/** One sample of every inbound item, as upstream POSTs it, with the event that it becomes. [upstream §4] */
import type { ChannelType } from '../../src/rules/vocabulary.ts';

export interface Sample {
  type: ChannelType;
  /** Upstream's type or member. */
  name: string;
  /** An element of `messages`, `statuses`, `message_echoes` or `messaging`. */
  list: 'messages' | 'statuses' | 'message_echoes' | 'messaging';
  item: Record<string, unknown>;
  /** Members without which `item` is malformed, as dotted paths. */
  needs: readonly string[];
  /** `data` of the event without ids and people; null: the item becomes no event. */
  event: Record<string, unknown> | null;
}

const text = (words: string): Record<string, unknown> => ({ type: 'text', text: words });
const unsupported = (name: string, chosen: { text?: string } = {}): Record<string, unknown> => ({
  type: 'unsupported',
  unsupported_type: name,
  ...chosen,
});
const file = (type: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type,
  ...more,
});

let ids = 0;
const nextId = (): string => String((ids += 1)).padStart(6, '0');

function chatapp(
  name: string,
  members: Record<string, unknown>,
  event: Sample['event'],
  needs: readonly string[] = [],
): Sample {
  const { type = name, ...rest } = members;
  const item = { from: '4915900000777', id: `wamid.${nextId()}`, timestamp: '1767225600', type, ...rest };
  return {
    type: 'chatapp',
    name,
    list: 'messages',
    item,
    needs: ['id', 'from', 'type', ...needs],
    event,
  };
}

const media = { id: '1440000000000021', mime_type: 'image/jpeg', sha256: 'q83vEjRWeJA=' };

const chatappSamples: readonly Sample[] = [
  chatapp('text', { text: { body: 'Hello' } }, text('Hello'), ['text', 'text.body']),
  chatapp('image', { image: { ...media, caption: 'this one' } }, file('image', { caption: 'this one' })),
  chatapp('video', { video: media }, file('video')),
  chatapp('audio', { audio: { ...media, voice: true } }, file('audio', { voice: true })),
  chatapp('voice', { voice: media }, file('audio', { voice: true })),
  chatapp(
    'document',
    { document: { ...media, filename: 'plan.pdf' } },
    file('document', { filename: 'plan.pdf' }),
  ),
  chatapp('sticker', { sticker: { ...media, animated: false } }, file('sticker')),
  chatapp('location', { location: { latitude: 1, longitude: 2 } }, unsupported('location')),
  chatapp('contacts', { contacts: [{ name: { formatted_name: 'Mia' } }] }, unsupported('contacts')),
  chatapp('reaction', { reaction: { message_id: 'wamid.X', emoji: '👍' } }, null),
  chatapp('button', { button: { text: 'Yes', payload: 'Y' } }, unsupported('button', { text: 'Yes' })),
  chatapp('button without text', { type: 'button', button: { payload: 'Y' } }, unsupported('button')),
  chatapp(
    'button_reply',
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Now' } } },
    unsupported('interactive', { text: 'Now' }),
  ),
  chatapp(
    'list_reply',
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Rolls' } } },
    unsupported('interactive', { text: 'Rolls' }),
  ),
  chatapp(
    'nfm_reply',
    { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent' } } },
    unsupported('interactive'),
  ),
  chatapp(
    'call_permission_reply',
    { type: 'interactive', interactive: { type: 'call_permission_reply' } },
    unsupported('interactive'),
  ),
  chatapp('order', { order: { catalog_id: '1', product_items: [] } }, unsupported('order')),
  chatapp('system', { system: { body: 'changed', type: 'user_changed_number' } }, null),
  chatapp('request_welcome', {}, unsupported('request_welcome')),
  chatapp('edit', { edit: { original_message_id: 'wamid.X', message: { type: 'text' } } }, null),
  chatapp('revoke', { revoke: { original_message_id: 'wamid.X' } }, null),
  chatapp('unsupported', { errors: [{ code: 131051, title: 'Unknown' }] }, unsupported('unsupported')),
  chatapp('poll_creation', {}, unsupported('poll_creation')),
  chatapp('a_type_of_next_year', { a_type_of_next_year: {} }, unsupported('a_type_of_next_year')),
  chatapp(
    'an ad and a quote',
    { type: 'text', text: { body: 'Hi' }, referral: { source_id: '1' }, context: { id: 'w' } },
    text('Hi'),
    ['text', 'text.body'],
  ),
  {
    ...chatapp(
      'echo of a text',
      { type: 'text', text: { body: 'We open at nine.' } },
      text('We open at nine.'),
    ),
    list: 'message_echoes',
    needs: ['id', 'to', 'type', 'text', 'text.body'],
    item: {
      from: '15550100042',
      to: '4915900000777',
      id: `wamid.ECHO${nextId()}`,
      timestamp: '1767225720',
      type: 'text',
      text: { body: 'We open at nine.' },
    },
  },
];

function thread(
  type: 'pagechat' | 'photoapp',
  name: string,
  members: Record<string, unknown>,
  event: Sample['event'],
  needs: readonly string[],
): Sample {
  const [person, own] =
    type === 'pagechat' ? ['8800000000000001', '520000000000005'] : ['9900000000000007', '17840000000000006'];
  const item = { sender: { id: person }, recipient: { id: own }, timestamp: 1_767_225_600_000, ...members };
  return { type, name, list: 'messaging', item, needs: ['sender', 'sender.id', ...needs], event };
}

type Threads = 'pagechat' | 'photoapp';

const said = (
  type: Threads,
  name: string,
  message: Record<string, unknown>,
  event: Sample['event'],
): Sample =>
  thread(type, name, { message: { mid: `m_${nextId()}`, ...message } }, event, ['message', 'message.mid']);

const attached = (type: Threads, name: string, event: Sample['event'], payload: unknown = link): Sample =>
  said(type, name, { attachments: [{ type: name, payload }] }, event);

const link = { url: 'https://scontent.example/1.jpg' };

const bothThreads = (type: Threads): readonly Sample[] => [
  said(
    type,
    'text',
    { text: 'Hello', reply_to: { mid: 'm_OLD' }, quick_reply: { payload: 'A' } },
    text('Hello'),
  ),
  thread(
    type,
    'text of an ad',
    { message: { mid: `m_${nextId()}`, text: 'Hello', referral: { ref: 'ad', source: 'ADS' } } },
    text('Hello'),
    ['message', 'message.mid', 'message.text'],
  ),
  said(type, 'an ad alone', { referral: { ref: 'ad', source: 'ADS' } }, null),
  attached(type, 'image', file('image')),
  attached(type, 'audio', file('audio')),
  attached(type, 'video', file('video')),
  attached(type, 'file', file('document')),
  attached(type, 'reel', unsupported('reel')),
  attached(type, 'ig_reel', unsupported('ig_reel')),
  attached(type, 'ig_post', unsupported('ig_post')),
  attached(type, 'share', unsupported('share')),
  attached(type, 'template', unsupported('template'), null),
  attached(type, 'fallback', unsupported('fallback'), { url: 'https://a.example', title: 'A' }),
  attached(type, 'location', unsupported('location'), { coordinates: { lat: 1, long: 2 } }),
  attached(type, 'an_attachment_of_next_year', unsupported('an_attachment_of_next_year'), undefined),
  thread(
    type,
    'postback',
    { postback: { mid: `m_${nextId()}`, title: 'Get started', payload: 'START' } },
    unsupported('postback', { text: 'Get started' }),
    ['postback', 'postback.mid'],
  ),
  thread(
    type,
    'postback without title',
    { postback: { mid: 'm_P', payload: 'START' } },
    unsupported('postback'),
    ['postback', 'postback.mid'],
  ),
  thread(type, 'reaction', { reaction: { mid: 'm_OLD', action: 'react', emoji: '❤' } }, null, ['reaction']),
  thread(type, 'message_edit', { message_edit: { mid: 'm_OLD', text: 'x', num_edit: 1 } }, null, [
    'message_edit',
  ]),
  thread(type, 'referral', { referral: { ref: 'r', source: 'SHORTLINK', type: 'OPEN_THREAD' } }, null, [
    'referral',
  ]),
  thread(type, 'optin', { optin: { type: 'notification_messages' } }, null, ['optin']),
  thread(type, 'pass_thread_control', { pass_thread_control: { new_owner_app_id: '1' } }, null, [
    'pass_thread_control',
  ]),
];

const pagechatSamples: readonly Sample[] = [
  ...bothThreads('pagechat'),
  attached('pagechat', 'sticker', file('image'), { ...link, sticker_id: 369239263222822 }),
  attached('pagechat', 'post', unsupported('post')),
  attached('pagechat', 'appointment_booking', unsupported('appointment_booking')),
  thread('pagechat', 'account_linking', { account_linking: { status: 'linked' } }, null, ['account_linking']),
  thread('pagechat', 'policy_enforcement', { policy_enforcement: { action: 'block' } }, null, [
    'policy_enforcement',
  ]),
  thread('pagechat', 'response_feedback', { response_feedback: { feedback: 'Good' } }, null, [
    'response_feedback',
  ]),
  thread('pagechat', 'game_play', { game_play: { game_id: '1' } }, null, ['game_play']),
];

const photoappSamples: readonly Sample[] = [
  ...bothThreads('photoapp'),
  said(
    'photoapp',
    'story reply',
    { text: 'Nice!', reply_to: { story: { id: '1', url: link.url } } },
    text('Nice!'),
  ),
  ...['story_mention', 'story', 'ig_story', 'ephemeral', 'media'].map((name) =>
    attached('photoapp', name, unsupported(name)),
  ),
  attached('photoapp', 'like_heart', unsupported('like_heart'), undefined),
  said('photoapp', 'is_unsupported', { is_unsupported: true }, unsupported('unsupported')),
  said('photoapp', 'is_deleted', { is_deleted: true }, null),
  said('photoapp', 'is_self', { is_self: true, text: 'note' }, null),
];

export const samples: readonly Sample[] = [...chatappSamples, ...pagechatSamples, ...photoappSamples];

const metadata = { display_phone_number: '15550100042', phone_number_id: '422300000000002' };

/** A POST with these samples of one channel type, one entry each. */
export function postOf(type: ChannelType, given: readonly Pick<Sample, 'list' | 'item'>[]): unknown {
  if (type === 'chatapp') {
    const changes = given.map(({ list, item }) => ({
      field: list === 'message_echoes' ? 'smb_message_echoes' : 'messages',
      value: { messaging_product: 'whatsapp', metadata, [list]: [item] },
    }));
    return { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes }] };
  }
  const [object, id] = type === 'pagechat' ? ['page', '520000000000005'] : ['instagram', '17840000000000006'];
  return { object, entry: given.map(({ item }) => ({ id, time: 1_767_225_600_123, messaging: [item] })) };
}
