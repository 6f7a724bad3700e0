/** The sends on each channel type that has them, so that a rule of sends is tested on all. [spec: Sending messages] */
import type { Answer } from './api.ts';
import { taken } from './sends.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';
import type { Channel, ChannelType } from './world.ts';

/** Those that stand alone: a reaction needs a message that upstream has accepted, which a storm may prevent. */
export const contents = ['text', 'media', 'template', 'interactive', 'location', 'contacts'] as const;
export type ContentName = (typeof contents)[number] | 'reaction';

/** Each channel type with each content that it can send. */
export const everySend: readonly (readonly [ChannelType, ContentName])[] = [
  ['chatapp', 'text'],
  ['chatapp', 'media'],
  ['chatapp', 'template'],
  ['chatapp', 'interactive'],
  ['chatapp', 'location'],
  ['chatapp', 'contacts'],
  ['chatapp', 'reaction'],
  ['photoapp', 'text'],
  ['photoapp', 'media'],
  ['photoapp', 'interactive'],
  ['pagechat', 'text'],
  ['pagechat', 'media'],
  ['pagechat', 'interactive'],
];

/** Sends one message with this content. `files`: the simulator, which serves the file of a media send. */
export async function sendAny(
  service: Pick<Service, 'call'>,
  files: { url: string },
  channel: Channel,
  content: ContentName,
  recipient: string,
): Promise<Answer> {
  const [path, own] =
    content === 'reaction'
      ? ['send-reaction', { message_id: await messageToReactTo(service, channel, recipient), emoji: '👍' }]
      : requestOf(files, content);
  return service.call('POST', `/api/v1/messages/${path}`, {
    key: channel.key,
    body: { channel_id: channel.id, recipient, ...own },
  });
}

/** By channel and recipient. */
const messages = new Map<string, Promise<string>>();

/** The message that a reaction to this person is about, sent at the first call: before anything that would delay it. */
export function messageToReactTo(
  service: Pick<Service, 'call'>,
  channel: Channel,
  recipient: string,
): Promise<string> {
  const key = `${channel.id} ${recipient}`;
  const found = messages.get(key) ?? sendFirst(service, channel, recipient);
  messages.set(key, found);
  return found;
}

/** To the number with a digit before it: for a reaction the same person (the last six digits are compared), for what a test counts of its recipient another. */
async function sendFirst(
  service: Pick<Service, 'call'>,
  { id, key }: Channel,
  person: string,
): Promise<string> {
  const body = { channel_id: id, recipient: `1${person}`, text: 'to react to' };
  const answer = await taken(() => service.call('POST', '/api/v1/messages/send', { key, body }));
  // On a busy machine its answer may come before that of upstream: it is queued then, and sent soon.
  if (answer.body?.success !== true) throw new Error(`no message to react to: ${answer.text}`);
  const { message_id: messageId } = answer.body;
  await until('the message to react to is stored as sent', async () => {
    const { body: told } = await service.call('GET', `/api/v1/channels/${id}/messages/${messageId}`, { key });
    return told.state === 'sent';
  });
  return messageId;
}

function requestOf(
  files: { url: string },
  content: (typeof contents)[number],
): [string, Record<string, unknown>] {
  switch (content) {
    case 'text':
      return ['send', { text: 'hello' }];
    case 'media':
      return ['send-media', { media_type: 'image', media_url: `${files.url}/files/cake.jpg` }];
    case 'template':
      return ['send-template', { template_name: 'hello_world', language: 'en_US' }];
    case 'interactive':
      return [
        'send-interactive',
        { interactive_type: 'buttons', text: 'Shall we?', buttons: [{ id: 'yes', title: 'Yes' }] },
      ];
    case 'location':
      return ['send-location', { latitude: 53.5461, longitude: 9.9937, name: 'Harbour Bakery' }];
    case 'contacts':
      return ['send-contacts', { contacts: [{ name: 'Ada Harbour' }] }];
    default:
      return content satisfies never;
  }
}

/**
 * The status events of an accepted send, before it is read. [spec: Delivery status] photoapp has no delivery receipt; its own sends get a
 * synthetic `delivered`.
 */
export const acceptedEvents = {
  chatapp: ['message.sent', 'message.delivered'],
  photoapp: ['message.delivered'],
  pagechat: ['message.delivered'],
} as const;

/** The first status event of a sent message, by channel type: it tells the client that upstream accepted the message. */
export const confirmation = {
  chatapp: 'message.sent',
  photoapp: 'message.delivered',
  pagechat: 'message.delivered',
} as const;
