/** What must be refused, by the service or by the platform; some codes of the platform nobody knows yet. */
import { compare, record, skip, wordOf, type Run } from './run.ts';

const burst = 50;

export async function refuse(run: Run, recipient: string): Promise<void> {
  const { service, channelId } = run;
  const send = (to: string, text: string) =>
    service.api('POST', '/api/v1/messages/send', { channel_id: channelId, recipient: to, text });
  compare(run, 'a text too long', '400', String((await send(recipient, 'x'.repeat(5_000))).status));
  compare(run, 'no recipient', '400', String((await send('', 'x')).status));
  if (run.channelType === 'photoapp')
    record(run, '600 letters of 1200 bytes', 'pages 5', wordOf(await send(recipient, 'é'.repeat(600))));
  if (run.channelType !== 'chatapp') return;
  record(run, 'a user id that does not exist', 'U8', wordOf(await send('US.acceptance0000', 'x')));
  const many = await run.person.ask({
    name: 'burst',
    text: `Send ${burst} texts to this person, to see the pair limit? They arrive on the phone. (yes, or empty)`,
  });
  if (many !== 'yes') return skip(run, `${burst} sends to one person`, 'U9');
  const answers = await Promise.all(
    Array.from({ length: burst }, (_, nth) => send(recipient, `burst ${nth}`)),
  );
  record(run, `${burst} sends to one person`, 'U9', [...new Set(answers.map(wordOf))].join(', '));
}

/** The last step, because it ends the channel: what a send answers once the business has removed the app. */
export async function loseAccess(run: Run, recipient: string): Promise<void> {
  const text =
    'Last step. Remove the app in the settings of the business (or of the phone), then type "done" (empty: skip):';
  const answer = await run.person.ask({ name: 'remove', text });
  const settles = run.channelType === 'chatapp' ? 'U7' : null;
  if (answer !== 'done') return skip(run, 'a send without access', settles);
  const body = { channel_id: run.channelId, recipient, text: 'x' };
  record(
    run,
    'a send without access',
    settles,
    wordOf(await run.service.api('POST', '/api/v1/messages/send', body)),
  );
  const health = await run.service.admin('GET', `/admin/v1/channels/${run.channelId}`);
  compare(run, 'channel: what the operator reads then', '200', wordOf(health));
}
