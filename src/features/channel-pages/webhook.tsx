import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import type { Channel } from '../../rules/channels/channel.ts';
import { mayAs } from '../../rules/person.ts';
import { Alert } from '../../pages/forms/field.tsx';
import { Form } from '../../pages/forms/form.tsx';
import type { ReadForm } from '../../pages/forms/form.tsx';
import type { Problems } from '../../pages/forms/problems.ts';
import { Doing } from '../../pages/reader-role.tsx';
import { deliveryPath, channelPath } from '../../pages/paths.ts';
import { trying } from '../../pages/forms/problems.ts';
import { Badge } from '../../pages/components.tsx';
import { fault } from '../../kernel/faults.ts';
import { addressShown } from '../../rules/webhooks/transcript.ts';
import { SettingsOf, channelAt, channelUpdateRequest, toPatch, typedAddress } from '../channels/index.ts';
import { testWebhook, failureWords } from '../deliveries/index.ts';
import type { WebhookTestResult } from '../deliveries/index.ts';

interface FormState {
  problems: Problems;
  /** What was refused, or tested before it is saved. */
  form?: ReadForm;
  tested?: Tested;
}

export function webhookForm(
  context: SignedInContext,
  channel: Channel,
  { problems, form: typed, tested }: FormState,
): VNode {
  const isReader = !mayAs(context.visitor.role, 'developer');
  const all = { channel, typed, isReader, problems };
  return (
    <section aria-labelledby="webhook">
      <h2 id="webhook">Webhook</h2>
      <Form action={`${channelPath(channel.id)}/webhook`} csrf={context.csrf} class="narrow">
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
        {tested === undefined ? null : <Result channel={channel} tested={tested} />}
      </Form>
      <Secret channel={channel} csrf={context.csrf} />
    </section>
  );
}

function Secret({ channel, csrf }: { channel: Channel; csrf: string }): VNode {
  if (channel.webhookSecret === null)
    return (
      <Form action={`${channelPath(channel.id)}/secret`} csrf={csrf}>
        <p>Deliveries are not signed: there is no secret.</p>
        <button class="quiet">Make a secret</button>
      </Form>
    );
  return (
    <>
      <p>Deliveries are signed.</p>
      <Doing>
        <a class="button quiet" href={`${channelPath(channel.id)}/secret`}>
          Make a new secret
        </a>
      </Doing>
    </>
  );
}

/** The answer to a test event, and the address that it was sent to. */
export interface Tested extends WebhookTestResult {
  url: string;
}

/** Tests the address that is typed, if it could be saved; from a form without one, the stored address. */
export async function tryWebhook(
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

function Result({ channel, tested }: { channel: Channel; tested: Tested }): VNode {
  const { url, deliveryId, status, failure, durationMs } = tested;
  return (
    <p class="note" role="status" tabindex={-1} autofocus>
      <Badge tone={failure === null ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>{' '}
      {failure === null
        ? `Your receiver took the test event in ${durationMs} ms.`
        : `${failureWords(failure, status)} (${durationMs} ms)`}{' '}
      Tested: <code>{addressShown(url)}</code>
      {url === channel.webhookUrl ? '.' : ', which is not saved.'}{' '}
      <a href={deliveryPath({ channelId: channel.id, id: deliveryId })}>What was sent and answered</a>
    </p>
  );
}
