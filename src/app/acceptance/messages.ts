/** A message of each type in both directions, their statuses, a file, and a profile. */
import { textIn } from '../../kernel/json.ts';
import { asRecord } from '../../kernel/json.ts';
import { compare, dataOf, skip, wordOf, type Run } from './run.ts';

/** What the person is asked to send, and the event's type that the adapter believes in. */
const inbound = [
  ['text', 'text'],
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['document', 'document'],
  ['sticker', 'sticker'],
  ['location', 'unsupported'],
] as const;
const outbound = ['image', 'audio', 'video', 'document'] as const;

/** Receives one message of each type; returns the person's id as a recipient, or null if nothing came. */
export async function receive(run: Run): Promise<string | null> {
  let from: string | null = null;
  let mediaId: string | null = null;
  for (const [asked, believed] of inbound) {
    const before = run.feed.count();
    const text = `Write to the channel: one message of the type ${asked}. Then press Enter (or type "skip").`;
    const answer = await run.person.ask({ name: `write: ${asked}`, text });
    if (answer === 'skip') skip(run, `receive ${asked}`);
    else {
      const event = await run.feed.after(
        before,
        (one) => one['event'] === 'message.received',
        run.patienceMs,
      );
      const data = event === null ? {} : dataOf(event);
      compare(run, `receive ${asked}`, believed, textIn(data, 'type') ?? 'nothing came');
      from ??= textIn(data, 'from');
      mediaId ??= textIn(asRecord(data['media']), 'media_id');
    }
  }
  if (mediaId === null) skip(run, 'download a file', 'U13');
  else
    compare(run, 'download a file', '200', wordOf(await run.service.file(`/api/v1/media/${mediaId}`)), 'U13');
  return from;
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
  for (const type of outbound) await sendFile(run, recipient, type);
}

async function sendFile(run: Run, recipient: string, type: string): Promise<void> {
  const text = `Public https: address of a file of the type ${type} (empty: skip):`;
  const url = await run.person.ask({ name: `file: ${type}`, text });
  if (url === '') return skip(run, `send ${type}`);
  const body = { channel_id: run.channelId, recipient, media_type: type, media_url: url };
  const sent = await run.service.api('POST', '/api/v1/messages/send-media', body);
  compare(run, `send ${type}`, '200 sent', wordOf(sent));
}

/** Asks the profile of the person: one kind has none. */
export async function profile(run: Run, personId: string): Promise<void> {
  const path = `/api/v1/channels/${run.channelId}/profile/${encodeURIComponent(personId)}`;
  const believed = run.channelType === 'chatapp' ? '404' : '200';
  const { status } = await run.service.api('GET', path);
  compare(run, 'profile', believed, String(status));
}
