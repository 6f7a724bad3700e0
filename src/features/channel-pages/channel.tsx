import { leadBack, signedInPage } from '../route.ts';
import type { FeaturePages, SignedInContext } from '../route.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { sendRedirect } from '../../http/answers.ts';
import { noProblems, trying } from '../../pages/forms/problems.ts';
import type { Problems } from '../../pages/forms/problems.ts';
import { readForm } from '../../pages/forms/form.tsx';
import type { ReadForm } from '../../pages/forms/form.tsx';
import { Done } from '../../pages/components.tsx';
import { Doing } from '../../pages/reader-role.tsx';
import { idIn } from '../../pages/session/pages.ts';
import { answerShell } from '../../pages/shell.tsx';
import { channelListPages, connectTargets } from './channels.tsx';
import { Connection, Removal, removePages } from './connection.tsx';
import { webhookForm, tryWebhook } from './webhook.tsx';
import type { Tested } from './webhook.tsx';
import { redirectToSecret, secretPages } from './secret.tsx';
import { summary } from './summary.tsx';
import { channelsPath, channelPath } from '../../pages/paths.ts';
import {
  readChannel,
  updateChannel,
  channelUpdateRequest,
  toPatch,
  changedElsewhere,
  givenIn,
  typedAddress,
  channelAt,
} from '../channels/index.ts';
import { sendForm, trySend } from '../messages/index.ts';
import type { Sent } from '../messages/index.ts';

/** What the page shows in addition to the channel itself. */
interface Shown {
  webhookProblems?: Problems;
  sendProblems?: Problems;
  sent?: Sent;
  tested?: Tested;
  typed?: { recipient?: string; text?: string };
  /** The webhook form as it was refused or tested. */
  form?: ReadForm;
}

async function showChannel(context: SignedInContext, { ...shown }: Shown = {}): Promise<void> {
  const found = await channelAt(context);
  const { channel } = found;
  const { webhookProblems = noProblems, sendProblems = noProblems } = shown;
  const status = Math.max(webhookProblems.status, sendProblems.status);
  answerShell(context, {
    title: channel.name ?? 'Channel',
    heading: channel.name ?? 'Without a name',
    back: <a href={channelsPath}>All channels</a>,
    at: channelsPath,
    status,
    formTargets: connectTargets(context),
    children: (
      <>
        <Done words={doneWords(channel)} query={context.query} />
        <Doing>
          <Sections isActive={channel.isActive} />
        </Doing>
        {await summary(context, found)}
        {webhookForm(context, channel, { problems: webhookProblems, ...shown })}
        <Doing>
          {channel.isActive ? sendForm(context, channel, sendProblems, shown) : null}
          <Connection csrf={context.csrf} channel={channel} />
          {channel.isActive ? <Removal channelId={channel.id} /> : null}
        </Doing>
      </>
    ),
  });
}

/** A channel that already has a webhook was connected before. */
const doneWords = ({ webhookUrl }: Channel): Readonly<Record<string, string>> => ({
  connected:
    webhookUrl === null
      ? 'Connected. Set a webhook next, so that inbound messages reach you.'
      : 'Connected. Its id, webhook and settings are unchanged.',
  saved: 'Saved.',
});

/** Links to the sections of this long page. */
function Sections({ isActive }: { isActive: boolean }) {
  return (
    <nav class="contents" aria-label="On this page">
      <ul>
        <li>
          <a href="#webhook">Webhook</a>
        </li>
        {isActive ? (
          <li>
            <a href="#send">Send a message</a>
          </li>
        ) : null}
        <li>
          <a href="#connection">Connect it again</a>
        </li>
        {isActive ? (
          <li>
            <a href="#remove">Remove</a>
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

async function saveWebhook(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const channelId = idIn(context, 'channel_id');
  const tried = await trying(async () => {
    const { channel } = await readChannel(context.world, context.caller, channelId);
    const given = context.parse(channelUpdateRequest, givenIn(form, channel));
    const problems = changedElsewhere(form, channel);
    if (problems !== null) return { problems };
    return { saved: await updateChannel(context.world, context.actor(), channelId, toPatch(given)) };
  });
  const ended = 'done' in tried ? tried.done : tried;
  if ('problems' in ended) return showChannel(context, { webhookProblems: ended.problems, form });
  if (ended.saved.webhookSecret !== null)
    return redirectToSecret(context, channelId, ended.saved.webhookSecret);
  sendRedirect(context.response, `${channelPath(channelId)}?saved`);
}

/** The page keeps what is typed, and stores nothing of it. */
async function test(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const tested = await tryWebhook(context, form);
  if ('problems' in tested) return showChannel(context, { webhookProblems: tested.problems, form });
  // A page of the previous release sends the button alone.
  const kept = 'webhook_url' in typedAddress(form) ? { form } : {};
  await showChannel(context, { tested: tested.done, ...kept });
}

async function send(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  await showChannel(context, await trySend(context, idIn(context, 'channel_id'), form));
}

const path = channelPath('{channel_id}');

/** [spec: Channels; Sending messages] */
export const channelPages: FeaturePages = {
  routes: [
    ...channelListPages,
    signedInPage({ get: path, name: 'channelPage', open: (context) => showChannel(context) }),
    signedInPage({ post: `${path}/webhook`, may: 'developer', name: 'saveWebhook', open: saveWebhook }),
    signedInPage({ post: `${path}/test`, may: 'developer', name: 'tryWebhook', open: test }),
    signedInPage({ post: `${path}/send`, may: 'developer', name: 'trySend', open: send }),
    ...['webhook', 'test', 'send'].map((form) =>
      leadBack(`${path}/${form}`, (context) => channelPath(idIn(context, 'channel_id'))),
    ),
    ...secretPages,
    ...removePages,
  ],
  place: { path: channelsPath, name: 'Channels', icon: 'plug', group: 'Build' },
};
