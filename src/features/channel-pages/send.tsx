/** The tab of a channel's page that sends a text, with the answer as the API gives it. [portal: Channel] */
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import { noProblems } from '../../pages/forms/problems.ts';
import { readForm } from '../../pages/forms/form.tsx';
import { idIn } from '../../pages/session/pages.ts';
import { channelPath } from '../../pages/paths.ts';
import { channelAt } from '../channels/index.ts';
import { sendForm, trySend } from '../messages/index.ts';
import { answerTab } from './tabs.tsx';

type Tried = Partial<Awaited<ReturnType<typeof trySend>>>;

async function show(context: SignedInContext, tried: Tried = {}): Promise<void> {
  const { channel } = await channelAt(context);
  const { sendProblems: problems = noProblems } = tried;
  answerTab(context, {
    channel,
    tab: 'send',
    status: problems.status,
    children: channel.isActive ? (
      sendForm(context, channel, problems, tried)
    ) : (
      <p class="note">This channel is removed. Connect it again to send.</p>
    ),
  });
}

async function send(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  await show(context, await trySend(context, idIn(context, 'channel_id'), form));
}

const path = `${channelPath('{channel_id}')}/send`;

export const sendPages = [
  signedInPage({ get: path, may: 'developer', name: 'sendPage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'developer', name: 'trySend', open: send }),
];
