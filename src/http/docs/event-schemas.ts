/** JSON schemas of the events POSTed to `webhook_url`: the envelope with the data of each event. [spec: Events] */
import type { ChannelKind } from '../../rules/channels/kind.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { emittedTypes } from '../../rules/messages/content.ts';
import { channelParts } from '../../rules/channels/changes.ts';
import { describeRefusedToken } from '../../rules/channels/health.ts';
import { templateParts } from '../../rules/templates/changes.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { deliveryEvents, testEvent } from '../../rules/events/table.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import { contentMembers, contextMembers, personUpdated, recipientMembers } from './event-context.ts';
import { channelTypeWord } from '../schemas/common.ts';
import { kindNotes } from '../schemas/kind-notes.ts';
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
    timestamp: { ...timestamp, description: 'Time of the event' },
    data,
  });
}

const media = responseObject(
  'EventMedia',
  {
    media_id: { ...ourId, description: 'For `GET /api/v1/media/{media_id}`' },
    mime_type: {
      ...string,
      description: 'MIME type of the file’s bytes; a voice clip, for example, may come as `video/mp4`',
    },
    file_size: { ...count, description: 'Bytes' },
    filename: { ...orNull(string), description: 'Original file name; documents only' },
    sha256: {
      ...orNull(string),
      description: `SHA-256 of the file, base64; ${onlyOn((kind) => kind.describesFiles)}`,
    },
    duration_ms: { ...orNull(count), description: 'Duration in milliseconds; audio and video only' },
    download_url: {
      ...orNull(string),
      description:
        'URL of the file; it needs the `X-API-Key` header. null: the download from upstream failed',
    },
    expires_at: { ...timestamp, description: 'The file is deleted after this time' },
  },
  {
    voice: {
      ...flag,
      description: `Present, and true, only for voice messages; ${onlyOn((kind) => kind.describesFiles)}`,
    },
    error: { ...string, description: 'Present only if the download from upstream failed: why' },
  },
);

const echoMedia = responseObject('EchoMedia', {
  media_id: { ...orNull(string), description: 'Always null' },
  download_url: { ...orNull(string), description: 'Always null' },
  unavailable: { type: 'string', const: 'echo_media_not_supported' },
  kind: { ...string, description: 'Media type of the file, e.g. `image`' },
});

const describeContent = (file: JsonSchema): Record<string, JsonSchema> => ({
  text: { ...string, description: 'Text of the message, or the label of the button or list row chosen' },
  caption: {
    ...string,
    description: 'Text that accompanies media; if a message has several files, on the first event only',
  },
  media: file,
  unsupported_type: {
    ...string,
    description:
      "Present if `type` is `unsupported`: upstream's name of the content, or the media type that is withheld on `starter`",
  },
  ...contentMembers,
});

const received = responseObject(
  'MessageReceivedData',
  {
    message_id: {
      ...string,
      description:
        'Id of the message, opaque: use it to detect duplicates. Further files of one message have the same id with `.2`, `.3`, … at the end',
    },
    from: { ...string, description: `Sender. ${kindNotes.usableUserId}` },
    from_name: {
      ...orNull(string),
      description: `Name of the sender; ${onlyOn((kind) => kind.namesSender)}`,
    },
    type: openWords(emittedTypes),
  },
  {
    ...contextMembers,
    ...describeContent(media),
    upgrade_required: {
      type: 'string',
      const: 'pro',
      description: 'Present only if a file is withheld because the licence is `starter`',
    },
  },
);

const echo = responseObject(
  'MessageEchoData',
  {
    message_id: {
      ...ourId,
      description: 'Id of the message, the same if the echo is delivered again: use it to detect duplicates',
    },
    recipient: { ...string, description: `User to whom the message was sent. ${kindNotes.usableUserId}` },
    status: { type: 'string', const: 'sent' },
    type: openWords(emittedTypes),
  },
  describeContent(echoMedia),
);

const statusFields = (status: string) => ({
  message_id: { ...ourId, description: 'The `message_id` of the send response or of the echo' },
  status: { type: 'string', const: status },
  recipient: { ...string, description: `User to whom the message was sent. ${kindNotes.userId}` },
});

const status = (name: string, word: string): JsonSchema =>
  responseObject(`Message${name}Data`, statusFields(word), recipientMembers);

const upstreamError = responseObject(
  'UpstreamError',
  { code: count, title: string },
  {
    details: {
      ...string,
      description: 'What is wrong with this message, if upstream says so: `title` only names the code',
    },
  },
);

const failed = responseObject(
  'MessageFailedData',
  {
    ...statusFields('failed'),
    error: { ...string, description: 'Why the message failed' },
    errors: {
      ...listOf(upstreamError),
      description: "Upstream's error codes and titles; empty if upstream never refused the message",
    },
  },
  recipientMembers,
);

const change = {
  change_id: {
    ...ourId,
    description: 'Id of the change, the same on every retry: use it to detect duplicates',
  },
};
const reason = { ...orNull(string), description: 'Why, as a sentence, if upstream says so' };

const channelUpdated = responseObject('ChannelUpdatedData', {
  ...change,
  changed: openWords(channelParts),
  before: {
    ...orNull(string),
    description: '`ok`, or the `code` of a problem of the channel’s health; of `quality` upstream’s word',
  },
  after: { ...orNull(string), description: 'As `before`' },
  reason,
});

const templateUpdated = responseObject('TemplateUpdatedData', {
  ...change,
  template_id: { ...ourId, description: '`id` of the template' },
  template_name: string,
  language: string,
  changed: openWords(templateParts),
  before: { ...orNull(string), description: 'Upstream’s word; null: none yet' },
  after: { ...orNull(string), description: 'As `before`; a `status` of `DELETED`: the template is gone' },
  reason,
});

const changeExample = { change_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' };

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
  'channel.updated': {
    data: channelUpdated,
    example: {
      ...changeExample,
      changed: 'token',
      before: 'ok',
      after: 'token_refused',
      reason: describeRefusedToken,
    },
  },
  'template.updated': {
    data: templateUpdated,
    example: {
      ...changeExample,
      template_id: '9b2c1a6e-7d40-4c0c-8f5a-2f1f6b0b7e11',
      template_name: 'order_ready',
      language: 'en_US',
      changed: 'status',
      before: 'PENDING',
      after: 'REJECTED',
      reason: 'INVALID_FORMAT',
    },
  },
  'person.updated': {
    data: personUpdated,
    example: {
      ...message,
      from: '4915900000999',
      from_user_id: 'DE.x7Q',
      previous_from: '4915900000777',
      previous_user_id: 'DE.20260000000000000042',
    },
  },
  [testEvent]: { data: responseObject('WebhookTestData', {}), example: {} },
};

const exampleEnvelope = {
  channel_id: '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f',
  channel_type: channelTypes[0],
  timestamp: '2026-01-01T00:00:00.000Z',
};

/** Schema and example of an event's `data`. */
export function describeData(event: DeliveryEvent): EventData {
  return eventData[event];
}

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
