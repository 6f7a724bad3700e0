import type { WebhookPost } from '../rules/outside.ts';
import { makeRedact } from '../rules/events/redact-repeated.ts';
import { addressShown } from '../rules/webhooks/transcript.ts';
import type { Answer, Header, Transcript } from '../rules/webhooks/transcript.ts';
import type { Attempt } from './attempt.ts';

/**
 * The receiver's address without secrets, the request headers including those that undici adds, and the answer without parts that repeat
 * the event.
 */
export function transcribe({ url, body }: WebhookPost, attempt: Attempt): Transcript {
  const address = addressShown(url);
  const { sent } = attempt;
  // Headers were ready, but without a connection nothing was asked.
  if (sent === null || !attempt.hasLeft) return { address, request: [], answer: null };
  const length: Header = ['content-length', String(body.length)];
  const request = [['host', new URL(url).host] as const, ...pairUp(sent), length];
  const answer = attempt.answer();
  if (answer === null) return { address, request, answer };
  return { address, request, answer: withoutContent(answer, body) };
}

/** Node and undici read headers as latin1, so that each character is one byte. */
function withoutContent({ headers, body, isCut }: Answer, event: Uint8Array): Answer {
  const longest = Math.max(body.length, ...headers.map(([, value]) => value.length));
  const redact = makeRedact(event, longest);
  const shown = headers.map(([name, value]): Header => {
    const left = redact(Buffer.from(value, 'latin1'), isCut);
    return [name, Buffer.from(left).toString('latin1')];
  });
  return { headers: shown, body: redact(body, isCut), isCut };
}

function pairUp(inTurn: readonly string[]): Header[] {
  return inTurn.flatMap((name, at) => (at % 2 === 0 ? [[name, inTurn[at + 1] ?? ''] as const] : []));
}
