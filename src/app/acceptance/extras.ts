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
  if (run.channelType === 'chatapp') return;
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
