import type { WebhookPost } from '../../../actors/channel/ports/outside.ts';
import { redactRepeated } from '../../domain/events/redact-repeated.ts';
import { addressShown } from '../../domain/webhooks/transcript.ts';
import type { Header, Transcript } from '../../domain/webhooks/transcript.ts';
import type { Attempt } from './attempt.ts';

/**
 * The receiver's address without secrets, the request headers including those that undici adds, and the answer without parts that repeat
 * the event.
 */
export function transcribe({ url, body }: WebhookPost, attempt: Attempt): Transcript {
  const address = addressShown(url);
  const { sent } = attempt;
  if (sent === null) return { address, request: [], answer: null };
  const length: Header = ['content-length', String(body.length)];
  const request = [['host', new URL(url).host] as const, ...pairUp(sent), length];
  const answer = attempt.answer();
  if (answer === null) return { address, request, answer };
  return { address, request, answer: { ...answer, body: redactRepeated(answer.body, body, answer.isCut) } };
}

function pairUp(inTurn: readonly string[]): Header[] {
  return inTurn.flatMap((name, at) => (at % 2 === 0 ? [[name, inTurn[at + 1] ?? ''] as const] : []));
}
