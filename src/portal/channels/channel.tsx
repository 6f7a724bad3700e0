import { kindOf } from '../../domain/channels/kinds.ts';
import { webhookUrlProblem } from '../../domain/webhooks/url.ts';
import { sendRedirect } from '../../http/answers.ts';
import { fieldFault } from '../../kernel/faults.ts';
import type { ChannelWithLicence } from '../../use-cases/index.ts';
import { newWebhookSecret } from '../../use-cases/channels/webhook-settings.ts';
import { Form } from '../forms/form.tsx';
import { noProblems, trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { Copyable } from '../parts.tsx';
import { idIn, signedInPage } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import { connectTargets } from './channels.tsx';
import { sendForm, trySend } from './send.tsx';
import type { Sent } from './send.tsx';
import { webhookForm } from './webhook.tsx';
import { TestEvent, tryWebhook } from './test.tsx';
import type { Tested } from './test.tsx';
import { summary } from './summary.tsx';

const all = '/portal/channels';

/** What a page shows beside the channel itself. */
export interface Shown {
  webhookProblems?: Problems;
  sendProblems?: Problems;
  sent?: Sent;
  tested?: Tested;
  typed?: { webhookUrl?: string; recipient?: string; text?: string };
}

async function showChannel(desk: SignedInDesk, { ...shown }: Shown = {}): Promise<void> {
  const found = await desk.useCases.readChannel(desk.caller, idIn(desk, 'channel_id'));
  const { channel } = found;
  const { webhookProblems = noProblems, sendProblems = noProblems } = shown;
  const status = Math.max(webhookProblems.status, sendProblems.status);
  answerShell(desk, {
    title: channel.name ?? 'Channel',
    at: all,
    status,
    formTargets: connectTargets(desk),
    children: (
      <>
        <p class="back">
          <a href={all}>All channels</a>
        </p>
        <h1>{channel.name ?? 'Without a name'}</h1>
        <Done desk={desk} />
        {await summary(desk, found)}
        {webhookForm(desk, channel, webhookProblems, shown.typed?.webhookUrl)}
        {channel.webhookUrl === null ? null : (
          <TestEvent desk={desk} channelId={channel.id} tested={shown.tested} />
        )}
        {channel.isActive ? sendForm(desk, channel, sendProblems, shown) : null}
        <Removing desk={desk} found={found} />
      </>
    ),
  });
}

const doneWords: Readonly<Record<string, string>> = {
  connected: 'Connected. Set a webhook next, so that what people write reaches you.',
  saved: 'The webhook settings hold from now on.',
};

function Done({ desk }: { desk: SignedInDesk }) {
  const word = Object.keys(doneWords).find((name) => desk.query.has(name));
  return word === undefined ? null : (
    <p class="note" role="status">
      {doneWords[word]}
    </p>
  );
}

function Removing({ desk, found: { channel } }: { desk: SignedInDesk; found: ChannelWithLicence }) {
  if (!channel.isActive) {
    return (
      <section>
        <h2>Connect it again</h2>
        <p>It keeps its id and settings: choose the same account or number at the platform.</p>
        <Form action={`${all}/connect`} csrf={desk.csrf}>
          <input type="hidden" name="channel_type" value={channel.channelType} />
          <button>Connect again</button>
        </Form>
      </section>
    );
  }
  return (
    <section>
      <h2>Remove</h2>
      <p>
        Sending and receiving stop at once. Its id, its history and its place on the licence stay, and no
        other account can take it.
      </p>
      <Form action={`${all}/${channel.id}/remove`} csrf={desk.csrf}>
        <button class="danger">Remove this channel</button>
      </Form>
    </section>
  );
}

async function saveWebhook(desk: SignedInDesk): Promise<void> {
  const form = await readForm(desk);
  const channelId = idIn(desk, 'channel_id');
  const webhookUrl = form.text('webhook_url').slice(0, 2_048);
  const tried = await trying(async () => {
    const why = webhookUrl === '' ? null : webhookUrlProblem(webhookUrl, desk);
    if (why !== null) throw fieldFault(['body', 'webhook_url'], why);
    const { channel } = await desk.useCases.readChannel(desk.caller, channelId);
    const webhookEvents = kindOf(channel.channelType).availableEvents.filter(
      (event) => form.text(`event:${event}`) === 'on',
    );
    return desk.useCases.updateChannel(desk.actor(), channelId, {
      webhookUrl: webhookUrl === '' ? null : webhookUrl,
      webhookEvents,
      echoStatuses: form.text('echo_statuses') === 'on',
    });
  });
  if ('problems' in tried) {
    return showChannel(desk, { webhookProblems: tried.problems, typed: { webhookUrl } });
  }
  if (tried.done.webhookSecret !== null) return showSecret(desk, channelId, tried.done.webhookSecret);
  sendRedirect(desk.response, `${all}/${channelId}?saved`);
}

/** [operator-interface §4, rotation] */
async function rotate(desk: SignedInDesk): Promise<void> {
  await readForm(desk);
  const channelId = idIn(desk, 'channel_id');
  const webhookSecret = newWebhookSecret();
  await desk.useCases.updateChannel(desk.actor(), channelId, { webhookSecret });
  showSecret(desk, channelId, webhookSecret);
}

/** The only page that shows it. */
function showSecret(desk: SignedInDesk, channelId: string, secret: string): void {
  answerShell(desk, {
    title: 'The webhook secret',
    at: all,
    children: (
      <>
        <h1>The webhook secret</h1>
        <p>
          Copy it now: <b>it is not shown again.</b> Every delivery from now on is signed with it, in the
          header <code>X-Webhook-Signature</code>. <a href="/docs/verify">How to check a signature</a>
        </p>
        <p class="secret">
          <Copyable text={secret} label="the webhook secret" />
        </p>
        <p>
          <a class="button" href={`${all}/${channelId}?saved`}>
            I have stored it
          </a>
        </p>
      </>
    ),
  });
}

async function test(desk: SignedInDesk): Promise<void> {
  await readForm(desk);
  await showChannel(desk, { tested: await tryWebhook(desk) });
}

async function send(desk: SignedInDesk): Promise<void> {
  const form = await readForm(desk);
  await showChannel(desk, await trySend(desk, idIn(desk, 'channel_id'), form));
}

async function remove(desk: SignedInDesk): Promise<void> {
  await readForm(desk);
  const channelId = idIn(desk, 'channel_id');
  await desk.useCases.deactivateChannel(desk.caller, channelId);
  sendRedirect(desk.response, `${all}/${channelId}`);
}

const path = `${all}/{channel_id}`;

/** [spec: Channels; Sending messages] */
export const channelPage = [
  signedInPage({
    method: 'get',
    path,
    name: 'channelPage',
    summary: 'One channel',
    open: (desk) => showChannel(desk),
  }),
  signedInPage({
    method: 'post',
    path: `${path}/webhook`,
    name: 'saveWebhook',
    summary: 'Webhook settings',
    open: saveWebhook,
  }),
  signedInPage({
    method: 'post',
    path: `${path}/secret`,
    name: 'rotateSecret',
    summary: 'Makes a new webhook secret',
    open: rotate,
  }),
  signedInPage({
    method: 'post',
    path: `${path}/test`,
    name: 'tryWebhook',
    summary: 'Sends a test event',
    open: test,
  }),
  signedInPage({
    method: 'post',
    path: `${path}/send`,
    name: 'trySend',
    summary: 'Sends a text',
    open: send,
  }),
  signedInPage({
    method: 'post',
    path: `${path}/remove`,
    name: 'removeChannel',
    summary: 'Deactivates a channel',
    open: remove,
  }),
];
