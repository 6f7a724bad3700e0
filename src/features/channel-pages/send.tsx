/** The tab of a channel's page that sends a message, with the answer as the API gives it. [portal: Channel] */
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import { noProblems } from '../../pages/forms/problems.ts';
import { openForm } from '../../pages/forms/form.tsx';
import { channelPath } from '../../pages/paths.ts';
import { channelAt } from '../channels/index.ts';
import { sendForm, sendKindIn, trySend } from '../messages/index.ts';
import type { SendShown } from '../messages/index.ts';
import { answerTab } from './tabs.tsx';

async function show(
  context: SignedInContext,
  what: string | null,
  shown: SendShown = { problems: noProblems },
): Promise<void> {
  const { channel } = await channelAt(context);
  answerTab(context, {
    channel,
    tab: 'send',
    status: shown.problems.status,
    children: channel.isActive ? (
      sendForm({ context, channel, kind: sendKindIn(channel, what), ...shown })
    ) : (
      <p class="note">This channel is removed. Connect it again to send.</p>
    ),
  });
}

async function send(context: SignedInContext): Promise<void> {
  const form = await openForm(context, context.caller.accountId);
  try {
    const { channel } = await channelAt(context);
    const what = form.text('what');
    await show(context, what, await trySend(context, channel, sendKindIn(channel, what), form));
  } finally {
    form.end();
  }
}

const path = `${channelPath('{channel_id}')}/send`;

export const sendPages = [
  signedInPage({
    get: path,
    may: 'developer',
    name: 'sendPage',
    open: (context) => show(context, context.query.get('what')),
  }),
  signedInPage({ post: path, may: 'developer', name: 'trySend', open: send }),
];
