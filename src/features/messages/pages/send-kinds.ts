/** What the form of a channel can send: the fields of each sort of message, and the body of the API's call that they make. */
import { mib } from '../../../kernel/bytes.ts';
import type { ChannelKind } from '../../../rules/channels/kind.ts';
import { interactiveTypes } from '../../../rules/messages/interactive.ts';
import { mediaTypes } from '../../../rules/messages/message.ts';
import { flag, line, optional, said, some } from './send-field.ts';
import type { SendField, SendKind, TextOf } from './send-field.ts';
import { pressable } from './send-pressed.ts';

/** The sorts that this kind of channel takes. */
export function sendKindsOf(kind: ChannelKind): readonly SendKind[] {
  const { canSend } = kind;
  return [
    textOf(kind),
    mediaOf(kind),
    ...interactiveTypes
      .filter((type) => kind.interactive[type] !== undefined)
      .map((type) => pressable(kind, type)),
    ...(canSend.has('location') ? [location] : []),
    ...(canSend.has('contacts') ? [contacts] : []),
    ...(canSend.has('reaction') ? [reaction] : []),
  ];
}

function textOf({ choosesPreview }: ChannelKind): SendKind {
  const preview = line('preview_url', 'Show a preview of the first link', '', {
    is: 'check',
    isOptional: true,
  });
  return {
    name: 'text',
    label: 'Text',
    way: 'text',
    fields: choosesPreview ? [said, preview] : [said],
    body: (text) => ({ text: text('text'), ...flag(text, 'preview_url') }),
  };
}

function mediaOf({ hasCaptions, uploadLimits }: ChannelKind): SendKind {
  const sizes = mediaTypes.map((type) => `${type} ${Math.floor(uploadLimits[type] / mib)}`);
  const shown = [
    line('caption', 'Caption', '', {
      ...optional,
      maxLength: 1_024,
      hint: 'Of an image, a video or a document.',
    }),
    line('filename', 'Name of a document', '', { ...optional, maxLength: 255 }),
    line('voice', 'Show an audio as a voice message', '', { is: 'check', isOptional: true }),
  ];
  return {
    name: 'media',
    label: 'File',
    way: 'media',
    fields: [
      line('media_type', 'Sort of file', 'image', { is: 'media-type' }),
      ...(hasCaptions ? shown : []),
    ],
    last: [
      line('media_url', 'Public address of the file', 'https://files.example.com/cake.jpg', {
        is: 'url',
        isOptional: true,
        maxLength: 2_048,
        hint: 'Or choose a file below.',
      }),
      // The last field of all: what comes before it is checked while the file arrives.
      line('file', 'File', '', {
        is: 'file',
        isOptional: true,
        hint: `At most, in MiB: ${sizes.join(', ')}.`,
      }),
    ],
    body: (text) => ({
      media_type: text('media_type'),
      ...some(text, ['media_url', 'media_id', 'caption', 'filename']),
      ...flag(text, 'voice'),
    }),
  };
}

const location: SendKind = {
  name: 'location',
  label: 'Place',
  way: 'location',
  fields: [
    line('latitude', 'Latitude', '53.5461', { hint: 'In degrees, for example 53.5461.' }),
    line('longitude', 'Longitude', '9.9937'),
    line('name', 'Name', '', { ...optional, maxLength: 1_000 }),
    line('address', 'Address', '', { ...optional, maxLength: 1_000 }),
  ],
  body: (text) => ({
    ...numbers(text, ['latitude', 'longitude']),
    ...some(text, ['name', 'address']),
  }),
};

const contacts: SendKind = {
  name: 'contacts',
  label: 'Contact',
  way: 'contacts',
  fields: [
    line('contacts.0.name', 'Name', 'Ada Harbour', { maxLength: 256 }),
    line('contacts.0.phones.0.phone', 'Phone', '+49 159 00000777', { ...optional, maxLength: 256 }),
    line('contacts.0.emails.0.email', 'E-mail', '', { ...optional, maxLength: 256 }),
    line('contacts.0.organization', 'Organization', '', { ...optional, maxLength: 256 }),
  ],
  body(text) {
    const [phone, email] = [text('contacts.0.phones.0.phone'), text('contacts.0.emails.0.email')];
    const organization = text('contacts.0.organization');
    return {
      contacts: [
        {
          name: text('contacts.0.name'),
          ...(phone === '' ? {} : { phones: [{ phone }] }),
          ...(email === '' ? {} : { emails: [{ email }] }),
          ...(organization === '' ? {} : { organization }),
        },
      ],
    };
  },
};

const reaction: SendKind = {
  name: 'reaction',
  label: 'Reaction',
  way: 'reaction',
  fields: [
    line('message_id', 'Id of the message', '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f', { maxLength: 64 }),
    line('emoji', 'Emoji', '👍', { ...optional, maxLength: 32, hint: 'None takes the reaction back.' }),
  ],
  body: (text) => ({ message_id: text('message_id'), emoji: text('emoji') }),
};

/** All fields of the form, in order; any send but a reaction may name what it answers. */
export function fieldsOf({ sendTags }: ChannelKind, { way, fields, last = [] }: SendKind): SendField[] {
  const quote = line('reply_to', 'Id of the message that it answers', '', { ...optional, maxLength: 64 });
  const tag = line('tag', 'A person answers: allowed for 7 days', '', { is: 'check', isOptional: true });
  if (way === 'reaction') return [...fields, ...last];
  return [...fields, quote, ...(sendTags.size === 0 ? [] : [tag]), ...last];
}

export function extrasIn(text: TextOf): Readonly<Record<string, unknown>> {
  return { ...some(text, ['reply_to']), ...(text('tag') === '' ? {} : { tag: 'human_agent' }) };
}

/** A text that is no number is left to the schema, whose words are shown. */
function numbers(text: TextOf, names: readonly string[]): Record<string, unknown> {
  const typed = names.map((name) => [name, text(name)] as const).filter(([, value]) => value !== '');
  return Object.fromEntries(
    typed.map(([name, value]) => {
      const number = Number(value.replace(',', '.'));
      return [name, Number.isFinite(number) ? number : value];
    }),
  );
}
