/** What sends may add: a quote of a message, and the tag of a person's answer. */
import { textIn } from '../../kernel/json.ts';
import { compare, record, wordOf, type Run } from './run.ts';

export async function sendExtras(run: Run, recipient: string): Promise<void> {
  const send = (more: object) =>
    run.service.api('POST', '/api/v1/messages/send', {
      channel_id: run.channelId,
      recipient,
      text: 'Acceptance run: this is quoted below.',
      ...more,
    });
  const first = textIn((await send({})).body, 'message_id');
  compare(run, 'a text with a quote', '200 sent', wordOf(await send({ text: 'An answer', reply_to: first })));
  compare(run, 'a text with buttons', '200 sent', wordOf(await sendButtons(run, recipient)));
  if (run.channelType === 'chatapp') return sendCards(run, recipient, first);
  record(run, 'the tag human_agent', 'pages 6', wordOf(await send({ tag: 'human_agent' })));
}

function sendButtons({ service, channelId }: Run, recipient: string) {
  return service.api('POST', '/api/v1/messages/send-interactive', {
    channel_id: channelId,
    recipient,
    interactive_type: 'buttons',
    text: 'Acceptance run: press one.',
    buttons: [{ id: 'yes', title: 'Yes' }],
  });
}

async function sendCards(run: Run, recipient: string, messageId: string | null): Promise<void> {
  const { service, channelId } = run;
  const send = (what: string, body: object) =>
    service.api('POST', `/api/v1/messages/send-${what}`, { channel_id: channelId, recipient, ...body });
  compare(
    run,
    'send a place',
    '200 sent',
    wordOf(await send('location', { latitude: 53.5, longitude: 9.9 })),
  );
  const contacts = [{ name: 'Ada Harbour', phones: [{ phone: '+4915900000777' }] }];
  compare(run, 'send contacts', '200 sent', wordOf(await send('contacts', { contacts })));
  const reaction = await send('reaction', { message_id: messageId, emoji: '👍' });
  compare(run, 'send a reaction', '200 sent', wordOf(reaction));
  const taken = await send('reaction', { message_id: messageId, emoji: '' });
  compare(run, 'take the reaction back', '200 sent', wordOf(taken));
}
