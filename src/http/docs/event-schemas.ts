/** What is POSTed to `webhook_url`, as schemas: the envelope with the data of each event. [spec: Events] */
import type { ChannelKind } from '../../domain/channels/kind.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { channelTypes } from '../../domain/vocabulary.ts';
import type { EventType } from '../../domain/events/table.ts';
import { channelTypeWord } from '../api/schemas/common.ts';
import {
  count,
  flag,
  listOf,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../validation/json-schema.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

const contentTypes = ['text', 'image', 'audio', 'video', 'document', 'sticker', 'unsupported'];
const digits = 'Usable as `recipient`';

/** Of which channels something is told. */
export function onlyOn(has: (kind: ChannelKind) => boolean): string {
  return `${channelTypes.filter((type) => has(kindOf(type))).join(', ')} only`;
}

type Told = EventType | 'webhook.test';

/** The types that can have the event: all, or the words of some. */
function listTypes(event: Told): JsonSchema {
  const types = channelTypes.filter(
    (type) => event === 'webhook.test' || kindOf(type).availableEvents.includes(event),
  );
  return types.length === channelTypes.length ? channelTypeWord : openWords(types);
}

/** Of one event: `name` begins the titles. */
function envelope(name: string, event: Told, data: JsonSchema): JsonSchema {
  return responseObject(`${name}Event`, {
    event: { type: 'string', const: event },
    channel_id: ourId,
    channel_type: listTypes(event),
    timestamp: { ...timestamp, description: 'When it happened' },
    data,
  });
}

const media = responseObject(
  'EventMedia',
  {
    media_id: { ...ourId, description: 'For `GET /api/v1/media/{media_id}`' },
    mime_type: { ...string, description: 'Of the bytes, not of what they mean' },
    file_size: count,
    filename: { ...orNull(string), description: 'Documents only' },
    sha256: { ...orNull(string), description: `${onlyOn((kind) => kind.describesFiles)}; base64` },
    duration_ms: { ...orNull(count), description: 'Audio and video only' },
    download_url: {
      ...orNull(string),
      description: 'Needs the same `X-API-Key`; null: the download from upstream failed',
    },
    expires_at: { ...timestamp, description: 'The file is deleted after it' },
  },
  {
    voice: {
      ...flag,
      description: `There, and true, for voice messages; ${onlyOn((kind) => kind.describesFiles)}`,
    },
    error: { ...string, description: 'There when the download failed' },
  },
);

const echoMedia = responseObject('EchoMedia', {
  media_id: { ...orNull(string), description: 'Always null' },
  download_url: { ...orNull(string), description: 'Always null' },
  unavailable: { type: 'string', const: 'echo_media_not_supported' },
  kind: string,
});

const describeContent = (file: JsonSchema): Record<string, JsonSchema> => ({
  text: { ...string, description: 'Of a text; of a pressed button or row what was chosen' },
  caption: { ...string, description: 'Text beside a file, on the first part' },
  media: file,
  unsupported_type: { ...string, description: "Upstream's name of what is no file, or the type withheld" },
});

const received = responseObject(
  'MessageReceivedData',
  {
    message_id: { ...string, description: 'Idempotency key; parts of one message end in `.2`, `.3`, …' },
    from: { ...string, description: digits },
    from_name: { ...orNull(string), description: onlyOn((kind) => kind.namesSender) },
    type: openWords(contentTypes),
  },
  {
    ...describeContent(media),
    upgrade_required: { type: 'string', const: 'pro', description: 'A file withheld on a `starter` licence' },
  },
);

const echo = responseObject(
  'MessageEchoData',
  {
    message_id: { ...ourId, description: 'The same for a redelivered echo' },
    recipient: { ...string, description: digits },
    status: { type: 'string', const: 'sent' },
    type: openWords(contentTypes),
  },
  describeContent(echoMedia),
);

const statusFields = (status: string) => ({
  message_id: { ...ourId, description: 'As the send answered, or that of the echo' },
  status: { type: 'string', const: status },
  recipient: string,
});

const status = (name: string, word: string): JsonSchema =>
  responseObject(`Message${name}Data`, statusFields(word));

const failed = responseObject('MessageFailedData', {
  ...statusFields('failed'),
  error: string,
  errors: {
    ...listOf(responseObject('UpstreamError', { code: count, title: string })),
    description: "Upstream's; empty when nothing was ever refused",
  },
});

export const eventSchemas: Readonly<Record<Told, JsonSchema>> = {
  'message.received': envelope('MessageReceived', 'message.received', received),
  'message.echo': envelope('MessageEcho', 'message.echo', echo),
  'message.sent': envelope('MessageSent', 'message.sent', status('Sent', 'sent')),
  'message.delivered': envelope('MessageDelivered', 'message.delivered', status('Delivered', 'delivered')),
  'message.read': envelope('MessageRead', 'message.read', status('Read', 'read')),
  'message.failed': envelope('MessageFailed', 'message.failed', failed),
  'webhook.test': envelope('WebhookTest', 'webhook.test', responseObject('WebhookTestData', {})),
};

/** Any of them: what a receiver reads before it knows which. */
export const eventSchema: JsonSchema = {
  title: 'Event',
  oneOf: Object.values(eventSchemas),
  discriminator: {
    propertyName: 'event',
    mapping: Object.fromEntries(
      Object.entries(eventSchemas).map(([event, { title }]) => [
        event,
        `#/components/schemas/${String(title)}`,
      ]),
    ),
  },
};
