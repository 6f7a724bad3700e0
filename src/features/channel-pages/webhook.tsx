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
import { State } from '../../pages/components.tsx';
import { idIn } from '../../pages/session/pages.ts';
import { SettingsOf } from '../channels/index.ts';
import { testWebhook, failureWords } from '../deliveries/index.ts';
import type { WebhookTestResult } from '../deliveries/index.ts';

/** `typed`: what was refused. */
export function webhookForm(
  context: SignedInContext,
  channel: Channel,
  problems: Problems,
  typed: ReadForm | undefined,
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
        <button>Save</button>
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

/** Result of a test event: the answer, or why none was sent. */
export type Tested = { done: WebhookTestResult } | { problems: Problems };

export async function tryWebhook(context: SignedInContext): Promise<Tested> {
  return trying(async () => testWebhook(context.world, context.actor(), idIn(context, 'channel_id')));
}

/** A button, and below it the receiver's answer. */
export function TestEvent({
  context,
  channelId,
  tested,
}: {
  context: SignedInContext;
  channelId: string;
  tested: Tested | undefined;
}): VNode {
  return (
    <>
      <Form action={`${channelPath(channelId)}/test`} csrf={context.csrf}>
        <button class="quiet">Send a test event</button>
      </Form>
      {tested === undefined ? null : <Result channelId={channelId} tested={tested} />}
    </>
  );
}

function Result({ channelId, tested }: { channelId: string; tested: Tested }): VNode {
  if ('problems' in tested) return <Alert problems={tested.problems} />;
  const { deliveryId, status, failure, durationMs } = tested.done;
  return (
    <p class="note" role="status" tabindex={-1} autofocus>
      <State tone={failure === null ? 'good' : 'bad'}>{status ?? 'no answer'}</State>{' '}
      {failure === null
        ? `Your receiver took the test event in ${durationMs} ms.`
        : `${failureWords(failure, status)} (${durationMs} ms)`}{' '}
      <a href={deliveryPath({ channelId, id: deliveryId })}>What was sent and answered</a>
    </p>
  );
}
