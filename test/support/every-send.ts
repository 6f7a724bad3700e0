/** The three sends on the kinds that know them: what is said of one send is tested of all. [spec: Sending messages] */
import type { Answer } from './api.ts';
import type { Service } from './service.ts';
import type { Channel, ChannelType } from './world.ts';

export const contents = ['text', 'media', 'template'] as const;
export type ContentName = (typeof contents)[number];

/** A kind and what it can send. */
export const everySend: readonly (readonly [ChannelType, ContentName])[] = [
  ['chatapp', 'text'],
  ['chatapp', 'media'],
  ['chatapp', 'template'],
  ['photoapp', 'text'],
  ['photoapp', 'media'],
  ['pagechat', 'text'],
  ['pagechat', 'media'],
];

/** `files`: the simulator, which has files to be fetched. */
export function sendAny(
  service: Pick<Service, 'call'>,
  files: { url: string },
  channel: Channel,
  content: ContentName,
  recipient: string,
): Promise<Answer> {
  const [path, own] = requestOf(files, content);
  return service.call('POST', `/api/v1/messages/${path}`, {
    key: channel.key,
    body: { channel_id: channel.id, recipient, ...own },
  });
}

function requestOf(files: { url: string }, content: ContentName): [string, Record<string, unknown>] {
  switch (content) {
    case 'text':
      return ['send', { text: 'hello' }];
    case 'media':
      return ['send-media', { media_type: 'image', media_url: `${files.url}/files/cake.jpg` }];
    case 'template':
      return ['send-template', { template_name: 'hello_world', language: 'en_US' }];
    default:
      return content satisfies never;
  }
}

/** The event by which a client learns that its message was sent. */
export const confirmation = {
  chatapp: 'message.sent',
  photoapp: 'message.delivered',
  pagechat: 'message.delivered',
} as const;
