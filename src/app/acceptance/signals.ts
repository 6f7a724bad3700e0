/** What the person sees beside messages, and what the business sees of a reaction. */
import { setTimeout as wait } from 'node:timers/promises';
import { textIn } from '../../kernel/json.ts';
import { compare, dataOf, record, skip, wordOf, type Run } from './run.ts';
import { wordOrKind } from './shape.ts';

/** `read` and `typing` name a received message, which the service knows by a delivery of its event, also one that failed. */
export async function giveWebhook(run: Run): Promise<boolean> {
  const url = await run.person.ask({
    name: 'webhook',
    text: 'Public https: address for the events of this run, which need not answer: for read and typing (empty: skip):',
  });
  const step = 'a webhook for read and typing';
  if (url === '') skip(run, step);
  else {
    const path = `/api/v1/channels/${run.channelId}`;
    compare(run, step, '200', wordOf(await run.service.api('PATCH', path, { webhook_url: url })));
  }
  return url !== '';
}

const signals = [
  { signal: 'typing', step: 'show typing', text: 'Does the phone show that somebody writes?' },
  { signal: 'read', step: 'mark as read', text: 'Does the phone show the message as read?' },
] as const;

export async function signal(run: Run, messageId: string | null): Promise<void> {
  for (const { signal: name, step, text } of signals) {
    if (messageId === null) skip(run, step);
    else {
      const path = `/api/v1/messages/${messageId}/${name}`;
      const answer = await run.service.api('POST', path, { channel_id: run.channelId });
      compare(run, step, '200', wordOf(answer));
      const seen = await run.person.ask({ name: `look: ${name}`, text: `${text} (yes, no; empty: skip)` });
      if (seen !== '') record(run, `${step}: seen on the phone`, null, wordOrKind(seen, ['yes', 'no']));
    }
  }
}

/** `src/upstream` leaves reactions out: there is no event to wait for. */
export async function receiveReaction(run: Run): Promise<void> {
  const step = 'a reaction of the person';
  const before = run.feed.count();
  const text = 'On the phone, react to a message with an emoji, then press Enter (or type "skip").';
  if ((await run.person.ask({ name: 'react', text })) === 'skip') return skip(run, step);
  await wait(run.patienceMs / 20);
  const events = run.feed
    .since(before)
    .filter((event) => event['event'] === 'message.received')
    .map((event) => textIn(dataOf(event), 'type') ?? '');
  compare(run, step, 'no message', events.length === 0 ? 'no message' : events.join(', '));
}
