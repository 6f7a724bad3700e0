import type { VNode } from 'preact';
import type { WebhookTestResult } from '../../use-cases/index.ts';
import { deliveryPath } from '../paths.ts';
import { failureWords } from '../deliveries/words.ts';
import { Alert } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { State } from '../components.tsx';
import { idIn } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';

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
      <Form action={`/portal/channels/${channelId}/test`} csrf={context.csrf}>
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
