import type { WebhookPost } from '../rules/outside.ts';
import { makeRedact } from '../rules/events/redact-repeated.ts';
import { addressShown } from '../rules/webhooks/transcript.ts';
import type { Answer, Header, Transcript } from '../rules/webhooks/transcript.ts';
import type { Attempt } from './attempt.ts';

/**
 * The receiver's address without secrets, the request headers including those that undici adds, and the answer without parts that repeat
 * the event.
 */
export function transcribe({ url, body, headers }: WebhookPost, attempt: Attempt): Transcript {
  const address = addressShown(url);
  const { sent } = attempt;
  // Headers were ready, but without a connection nothing was asked.
  if (sent === null || !attempt.hasLeft) return { address, request: [], answer: null };
  const length: Header = ['content-length', String(body.length)];
  const { pairs, secrets } = withoutValues(pairUp(sent), headers?.names ?? []);
  const request = [['host', new URL(url).host] as const, ...pairs, length];
  const answer = attempt.answer();
  if (answer === null) return { address, request, answer };
  return { address, request, answer: withoutRepeated(answer, body, secrets) };
}

const hidden = '(hidden)';

/** The values of an endpoint's own headers are its account's secrets. */
function withoutValues(pairs: Header[], names: readonly string[]): { pairs: Header[]; secrets: string[] } {
  if (names.length === 0) return { pairs, secrets: [] };
  const isOwn = ([name]: Header): boolean => names.includes(name);
  return {
    pairs: pairs.map((pair) => (isOwn(pair) ? [pair[0], hidden] : pair)),
    secrets: pairs.filter(isOwn).flatMap(secretsIn),
  };
}

/** Shorter values are no secrets, and would tear the answer to pieces. */
const shortestSecret = 6;

/** A value, and what follows the name of its scheme: a receiver that refuses `Bearer x` may say that `x` is wrong. */
function secretsIn([, value]: Header): string[] {
  const credentials = value.slice(value.indexOf(' ') + 1);
  return [value, credentials].filter(({ length }) => length >= shortestSecret);
}

/** Without what the request said. Node and undici read headers as latin1, so that each character is one byte. */
function withoutRepeated(
  { headers, body, isCut }: Answer,
  event: Uint8Array,
  secrets: readonly string[],
): Answer {
  const longest = Math.max(body.length, ...headers.map(([, value]) => value.length));
  const redact = makeRedact(event, longest, secrets);
  const shown = headers.map(([name, value]): Header => {
    const left = redact(Buffer.from(value, 'latin1'), isCut);
    return [name, Buffer.from(left).toString('latin1')];
  });
  return { headers: shown, body: redact(body, isCut), isCut };
}

function pairUp(inTurn: readonly string[]): Header[] {
  return inTurn.flatMap((name, at) => (at % 2 === 0 ? [[name, inTurn[at + 1] ?? ''] as const] : []));
}
