import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { mayAs } from '../../../rules/person.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { kindOf } from '../../../rules/channels/kinds.ts';
import { maxFailedRetentionDays } from '../../../rules/channels/channel.ts';
import { Alert, Field, NumberField } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Doing } from '../../../pages/reader-role.tsx';
import type { SignedInContext } from '../../../pages/session/pages.ts';
import { eventTable } from '../../../rules/events/table.ts';
import type { WebhookTestResult } from '../../index.ts';
import { deliveryPath, channelPath } from '../../../pages/paths.ts';
import { failureWords } from '../../deliveries/pages/words.ts';
import { trying } from '../../../pages/forms/problems.ts';
import { State } from '../../../pages/components.tsx';
import { idIn } from '../../../pages/session/pages.ts';

export function webhookForm(
  context: SignedInContext,
  channel: Channel,
  problems: Problems,
  typed: string | undefined,
  typedDays: string | undefined,
): VNode {
  return (
    <section aria-labelledby="webhook">
      <h2 id="webhook">Webhook</h2>
      <Form action={`${channelPath(channel.id)}/webhook`} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <Field
          name="webhook_url"
          label="Address of your receiver"
          value={typed ?? shownUrl(context, channel)}
          required={false}
          mono
          placeholder="https://app.example.com/webhooks"
          hint="Events are POSTed here. Empty: nothing is delivered."
          problems={problems}
        />
        <Events channel={channel} />
        <Kept channel={channel} typedDays={typedDays} problems={problems} />
        <button>Save</button>
      </Form>
      <Secret channel={channel} csrf={context.csrf} />
    </section>
  );
}

/** The whole URL only for people who may change it: its query may contain a secret of the receiver. */
function shownUrl({ visitor }: SignedInContext, { webhookUrl }: Channel): string {
  if (webhookUrl === null) return '';
  return mayAs(visitor.role, 'developer') ? webhookUrl : addressShown(webhookUrl);
}

function Events({ channel }: { channel: Channel }): VNode {
  const events = kindOf(channel.channelType).availableEvents;
  // Default while nothing is set: most people want what people write and the statuses of what was sent.
  const isOn = (event: string) => channel.webhookEvents?.includes(event) ?? event !== 'message.echo';
  return (
    <fieldset>
      <legend>Events</legend>
      {events.map((event) => (
        <label class="check">
          <input type="checkbox" name={`event:${event}`} checked={isOn(event)} />
          <span>
            <code>{event}</code> {eventTable[event].label}
          </span>
        </label>
      ))}
      <label class="check">
        <input type="checkbox" name="echo_statuses" checked={channel.echoStatuses} />
        <span>statuses of echoes too</span>
      </label>
    </fieldset>
  );
}

interface KeptProps {
  channel: Channel;
  typedDays: string | undefined;
  problems: Problems;
}

function Kept({ channel, typedDays, problems }: KeptProps): VNode {
  return (
    <fieldset>
      <legend>What is kept</legend>
      <NumberField
        name="failed_retention_days"
        label="Days that a failed event can be sent again"
        hint="0: an event is erased when its last attempt has failed. 1 to 30: its content is kept encrypted for as many days, at most 64 MiB per channel, and you can replay it from Deliveries. A smaller number erases older content at once."
        value={typedDays ?? String(channel.failedRetentionDays)}
        max={maxFailedRetentionDays}
        problems={problems}
      />
      <label class="check">
        <input type="checkbox" name="keep_answers" checked={channel.keepAnswers} />
        <span>
          also 2xx answers of your receiver: their headers and first 2 KB. All other answers are always kept,
          as long as the log
        </span>
      </label>
    </fieldset>
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
  return trying(async () => context.useCases.testWebhook(context.actor(), idIn(context, 'channel_id')));
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
