/** The tab of a channel's page with its webhook: settings, a test event, the secret. [portal: Channel] */
import { leadBack, signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import type { Channel } from '../../rules/channels/channel.ts';
import { mayAs } from '../../rules/person.ts';
import { Alert } from '../../pages/forms/field.tsx';
import { Form, readForm } from '../../pages/forms/form.tsx';
import type { ReadForm } from '../../pages/forms/form.tsx';
import { channelPath, channelTabPath } from '../../pages/paths.ts';
import { noProblems, trying } from '../../pages/forms/problems.ts';
import type { Problems } from '../../pages/forms/problems.ts';
import { fault } from '../../kernel/faults.ts';
import { sendRedirect } from '../../http/answers.ts';
import { idIn } from '../../pages/session/pages.ts';
import {
  SettingsOf,
  changedElsewhere,
  channelAt,
  channelUpdateRequest,
  givenIn,
  readChannel,
  toPatch,
  typedAddress,
  updateChannel,
} from '../channels/index.ts';
import { SigningSecret, TestResult, testWebhook } from '../deliveries/index.ts';
import type { Tested } from '../deliveries/index.ts';
import { endpointsOf, endpointPages } from '../endpoints/index.ts';
import { testEventPages, testEventPath } from './test-event.tsx';
import { redirectToSecret } from './secret.tsx';
import { answerTab } from './tabs.tsx';

interface FormState {
  problems?: Problems;
  /** What was refused, or tested before it is saved. */
  form?: ReadForm;
  tested?: Tested;
}

async function show(context: SignedInContext, state: FormState = {}): Promise<void> {
  const { channel } = await channelAt(context);
  const endpoints = await endpointsOf(context, channel);
  answerTab(context, {
    channel,
    tab: 'webhook',
    status: (state.problems ?? noProblems).status,
    children: (
      <>
        {settings(context, channel, state)}
        <SigningSecret
          isSigned={channel.webhookSecret !== null}
          path={`${channelPath(channel.id)}/secret`}
          csrf={context.csrf}
        />
        {endpoints}
      </>
    ),
  });
}

function settings(
  context: SignedInContext,
  channel: Channel,
  { problems = noProblems, form: typed, tested }: FormState,
): VNode {
  const isReader = !mayAs(context.visitor.role, 'developer');
  const all = { channel, typed, isReader, problems };
  return (
    <Form action={channelTabPath(channel.id, 'webhook')} csrf={context.csrf} class="narrow">
      <Alert problems={problems} />
      <SettingsOf part="receiver" {...all} />
      <fieldset>
        <legend>Events</legend>
        <SettingsOf part="events" {...all} />
      </fieldset>
      <fieldset>
        <legend>What is kept</legend>
        <SettingsOf part="kept" {...all} />
      </fieldset>
      <div class="buttons">
        <button>Save</button>
        <button class="quiet" formaction={`${channelPath(channel.id)}/test`}>
          Send a test event
        </button>
      </div>
      <p>
        <a href={testEventPath(channel.id)}>Send a test event of any type</a>
      </p>
      {tested === undefined ? null : (
        <TestResult channelId={channel.id} savedUrl={channel.webhookUrl} tested={tested} />
      )}
    </Form>
  );
}

/** Tests the address that is typed, if it could be saved; from a form without one, the stored address. */
async function tryWebhook(
  context: SignedInContext,
  form: ReadForm,
): Promise<{ done: Tested } | { problems: Problems }> {
  return trying(async () => {
    const { channel } = await channelAt(context);
    const { webhookUrl: typed } = toPatch(context.parse(channelUpdateRequest, typedAddress(form)));
    const url = typed === undefined ? channel.webhookUrl : typed;
    if (url === null) throw fault('bad_request', { why: 'Type the address of your receiver first.' });
    return { ...(await testWebhook(context.world, context.actor(), channel.id, url)), url };
  });
}

async function save(context: SignedInContext): Promise<void> {
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
  if ('problems' in ended) return show(context, { problems: ended.problems, form });
  if (ended.saved.webhookSecret !== null)
    return redirectToSecret(context, channelId, ended.saved.webhookSecret);
  sendRedirect(context.response, `${channelTabPath(channelId, 'webhook')}?saved`);
}

/** The page keeps what is typed, and stores nothing of it. */
async function test(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const tested = await tryWebhook(context, form);
  if ('problems' in tested) return show(context, { problems: tested.problems, form });
  // A page of the previous release sends the button alone.
  const kept = 'webhook_url' in typedAddress(form) ? { form } : {};
  await show(context, { tested: tested.done, ...kept });
}

const tabPath = channelTabPath('{channel_id}', 'webhook');
const testPath = `${channelPath('{channel_id}')}/test`;

export const webhookPages = [
  ...testEventPages,
  ...endpointPages,
  signedInPage({ get: tabPath, name: 'webhookPage', open: (context) => show(context) }),
  signedInPage({ post: tabPath, may: 'developer', name: 'saveWebhook', open: save }),
  signedInPage({ post: testPath, may: 'developer', name: 'tryWebhook', open: test }),
  leadBack(testPath, (context) => channelTabPath(idIn(context, 'channel_id'), 'webhook')),
];
