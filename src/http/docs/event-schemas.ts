/** JSON schemas of the events POSTed to `webhook_url`: the envelope with the data of each event. [spec: Events] */
import type { ChannelKind } from '../../domain/channels/kind.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { emittedTypes } from '../../domain/messages/content.ts';
import { channelTypes } from '../../domain/vocabulary.ts';
import { deliveryEvents, testEvent } from '../../domain/events/table.ts';
import type { DeliveryEvent } from '../../domain/events/table.ts';
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

const digits = 'Usable as `recipient`';

/** Note for a description: the channel types that have a feature. */
function onlyOn(has: (kind: ChannelKind) => boolean): string {
  return `${channelTypes.filter((type) => has(kindOf(type))).join(', ')} only`;
}

/** Schema of `channel_type` in an event: any type, or only the types that have the event. */
function listTypes(event: DeliveryEvent): JsonSchema {
  const types = channelTypes.filter(
    (type) => event === testEvent || kindOf(type).availableEvents.includes(event),
  );
  return types.length === channelTypes.length ? channelTypeWord : openWords(types);
}

/** Title of an event's schema: `MessageReceivedEvent` for `message.received`. */
function titleFor(event: DeliveryEvent): string {
  return `${event.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function envelope(event: DeliveryEvent, data: JsonSchema): JsonSchema {
  return responseObject(titleFor(event), {
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
    type: openWords(emittedTypes),
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
    type: openWords(emittedTypes),
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
    description: "Upstream's; empty when it had said nothing against the message",
  },
});

const message = { message_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' };
const about = (word: string) => ({ ...message, status: word, recipient: '4915900000777' });

interface EventData {
  data: JsonSchema;
  /** Example of the event's `data`. */
  example: Readonly<Record<string, unknown>>;
}

const eventData: Readonly<Record<DeliveryEvent, EventData>> = {
  'message.received': {
    data: received,
    example: {
      ...message,
      from: '4915900000777',
      from_name: 'Mia Vogel',
      type: 'text',
      text: 'Are you open?',
    },
  },
  'message.echo': {
    data: echo,
    example: {
      ...message,
      recipient: '4915900000777',
      status: 'sent',
      type: 'text',
      text: 'We open at nine.',
    },
  },
  'message.sent': { data: status('Sent', 'sent'), example: about('sent') },
  'message.delivered': { data: status('Delivered', 'delivered'), example: about('delivered') },
  'message.read': { data: status('Read', 'read'), example: about('read') },
  'message.failed': {
    data: failed,
    example: {
      ...about('failed'),
      error: 'The recipient cannot be reached on this platform',
      errors: [{ code: 131026, title: 'Message undeliverable' }],
    },
  },
  [testEvent]: { data: responseObject('WebhookTestData', {}), example: {} },
};

const exampleEnvelope = {
  channel_id: '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f',
  channel_type: channelTypes[0],
  timestamp: '2026-01-01T00:00:00.000Z',
};

/** Schema and example of the body that is POSTed for an event. */
export function describeEvent(event: DeliveryEvent): { schema: JsonSchema; example: object } {
  const { data, example } = eventData[event];
  return { schema: envelope(event, data), example: { event, ...exampleEnvelope, data: example } };
}

/** Any event: the schema for a receiver that has not read the event type yet. */
export const eventSchema: JsonSchema = {
  title: 'Event',
  oneOf: deliveryEvents.map((event) => describeEvent(event).schema),
  discriminator: {
    propertyName: 'event',
    mapping: Object.fromEntries(
      deliveryEvents.map((event) => [event, `#/components/schemas/${titleFor(event)}`]),
    ),
  },
};
