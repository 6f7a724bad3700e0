/** A message of each type in both directions, their statuses, a file, and a profile. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { asRecord, textIn } from '../../kernel/json.ts';
import { compare, dataOf, isReceived, record, skip, wordOf, type Run } from './run.ts';

/** What the person is asked to send, and the event's type that `src/upstream` believes in. */
const inbound: Readonly<Record<ChannelType, readonly (readonly [asked: string, believed: string])[]>> = {
  chatapp: [['text', 'text'], ['image', 'image'], ['audio', 'audio'], ['video', 'video'], ['document', 'document'], ['sticker', 'sticker'], ['location', 'unsupported']],
  photoapp: [['text', 'text'], ['image', 'image'], ['audio', 'audio'], ['video', 'video'], ['share', 'unsupported']],
  pagechat: [['text', 'text'], ['image', 'image'], ['audio', 'audio'], ['video', 'video'], ['file', 'document'], ['sticker', 'image'], ['location', 'unsupported']],
}; // oxfmt-ignore
const outbound = ['image', 'audio', 'video', 'document'] as const;

interface Received {
  /** The person's id as a recipient; null: nothing came. */
  from: string | null;
  mediaId: string | null;
  /** Of the first message. */
  messageId: string | null;
}

/** Receives one message of each type. */
export async function receive(run: Run): Promise<Received> {
  const received: Received = { from: null, mediaId: null, messageId: null };
  for (const [asked, believed] of inbound[run.channelType]) {
    const before = run.feed.count();
    const text = `Write to the channel: one message of the type ${asked}. Then press Enter (or type "skip").`;
    const answer = await run.person.ask({ name: `write: ${asked}`, text });
    if (answer === 'skip') skip(run, `receive ${asked}`);
    else {
      const event = await run.feed.after(before, isReceived, run.patienceMs);
      const data = event === null ? {} : dataOf(event);
      compare(run, `receive ${asked}`, believed, textIn(data, 'type') ?? 'nothing came');
      received.from ??= textIn(data, 'from');
      received.messageId ??= textIn(data, 'message_id');
      received.mediaId ??= textIn(asRecord(data['media']), 'media_id');
    }
  }
  return received;
}

export async function downloadFile(run: Run, mediaId: string | null): Promise<void> {
  if (mediaId === null) return skip(run, 'download a file');
  compare(run, 'download a file', '200', wordOf(await run.service.file(`/api/v1/media/${mediaId}`)));
}

/** What arrives of a text that is edited: `src/upstream` promises nothing of edits. */
export async function receiveEdited(run: Run): Promise<void> {
  const [step, settles] = ['a text that is edited', 'pages 4'];
  if (run.channelType === 'chatapp') return;
  const before = run.feed.count();
  const text = 'Write a text to the channel, edit it on the phone, then press Enter (or type "skip").';
  if ((await run.person.ask({ name: 'edit', text })) === 'skip') return skip(run, step, settles);
  await run.feed.after(before, isReceived, run.patienceMs);
  // What follows from the edit may be nothing, so there is no event to wait for.
  await wait(run.patienceMs / 20);
  const events = run.feed
    .since(before)
    .map((event) => `${textIn(event, 'event')} ${textIn(dataOf(event), 'type') ?? ''}`);
  record(run, step, settles, events.length === 0 ? 'nothing came' : events.join(', '));
}

/** Sends a text and a file of each type, and waits for the statuses of the text. */
export async function send(run: Run, recipient: string): Promise<void> {
  const text = 'Acceptance run: this is a text.';
  const sent = await run.service.api('POST', '/api/v1/messages/send', {
    channel_id: run.channelId,
    recipient,
    text,
  });
  compare(run, 'send a text', '200 sent', wordOf(sent));
  await run.person.ask({
    name: 'read',
    text: 'Open the chat on the phone, so that the message is read. Press Enter.',
  });
  const id = textIn(sent.body, 'message_id');
  for (const event of ['message.delivered', 'message.read']) {
    const fits = (one: Readonly<Record<string, unknown>>): boolean =>
      one['event'] === event && textIn(dataOf(one), 'message_id') === id;
    const came = await run.feed.first(fits, run.patienceMs);
    compare(run, `status ${event}`, 'came', came === null ? 'did not come' : 'came');
  }
  for (const type of outbound) await sendFile(run, recipient, ofType(type));
  if (run.channelType === 'chatapp') await sendFile(run, recipient, voice);
  await sendUpload(run, recipient);
}

interface FileAsked {
  name: string;
  /** What the person is asked for. */
  words: string;
  /** The members of the send that say how it is shown. */
  how: object;
}

const ofType = (type: (typeof outbound)[number]): FileAsked => ({
  name: type,
  words: `a file of the type ${type}, in a format that the platform takes`,
  how: { media_type: type },
});

const voice: FileAsked = {
  name: 'voice',
  words: 'a voice message, in ogg with opus',
  how: { media_type: 'audio', voice: true },
};

async function sendFile(run: Run, recipient: string, { name, words, how }: FileAsked): Promise<void> {
  const text = `Public https: address of ${words} (empty: skip):`;
  const url = await run.person.ask({ name: `file: ${name}`, text });
  if (url === '') return skip(run, `send ${name}`);
  const body = { channel_id: run.channelId, recipient, media_url: url, ...how };
  const sent = await run.service.api('POST', '/api/v1/messages/send-media', body);
  compare(run, `send ${name}`, '200 sent', wordOf(sent));
}

/** The smallest picture that shows something: one red dot. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function sendUpload(run: Run, recipient: string): Promise<void> {
  const { service, channelId } = run;
  const to = { channel_id: channelId, media_type: 'image' };
  const file = new File([Buffer.from(dot, 'base64')], 'dot.png', { type: 'image/png' });
  const uploaded = await service.upload('/api/v1/media', to, file);
  const mediaId = textIn(uploaded.body, 'media_id');
  if (mediaId === null) return compare(run, 'upload and send an image', '200 sent', String(uploaded.status));
  const sent = await service.api('POST', '/api/v1/messages/send-media', {
    ...to,
    recipient,
    media_id: mediaId,
  });
  compare(run, 'upload and send an image', '200 sent', wordOf(sent));
}

/** Asks the profile of the person: one kind has none. */
export async function profile(run: Run, personId: string): Promise<void> {
  const path = `/api/v1/channels/${run.channelId}/profile/${encodeURIComponent(personId)}`;
  const believed = run.channelType === 'chatapp' ? '404' : '200';
  const { status } = await run.service.api('GET', path);
  compare(run, 'profile', believed, String(status));
}
