/** What came of a test event. */
import type { VNode } from 'preact';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { Badge } from '../../../pages/components.tsx';
import { deliveryPath } from '../../../pages/paths.ts';
import type { WebhookTestResult } from '../types.ts';
import { failureWords } from './words.ts';

/** The answer to a test event, and the address that it was sent to. */
export interface Tested extends WebhookTestResult {
  url: string;
}

interface ResultProps {
  channelId: string;
  /** null: none is saved. */
  savedUrl: string | null;
  tested: Tested;
}

export function TestResult({ channelId, savedUrl, tested }: ResultProps): VNode {
  const { url, deliveryId, status, failure, durationMs } = tested;
  return (
    <p class="note" role="status" tabindex={-1} autofocus>
      <Badge tone={failure === null ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>{' '}
      {failure === null
        ? `Your receiver took the test event in ${durationMs} ms.`
        : `${failureWords(failure, status)} (${durationMs} ms)`}{' '}
      Tested: <code>{addressShown(url)}</code>
      {url === savedUrl ? '.' : ', which is not saved.'}{' '}
      <a href={deliveryPath({ channelId, id: deliveryId })}>What was sent and answered</a>
    </p>
  );
}
