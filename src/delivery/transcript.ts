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
  return { address, request, answer: withoutSecrets(withoutContent(answer, body), secrets) };
}

const hidden = '(hidden)';

/** The values of an endpoint's own headers are its account's secrets. */
function withoutValues(pairs: Header[], names: readonly string[]): { pairs: Header[]; secrets: string[] } {
  if (names.length === 0) return { pairs, secrets: [] };
  const isOwn = ([name]: Header): boolean => names.includes(name);
  return {
    pairs: pairs.map((pair) => (isOwn(pair) ? [pair[0], hidden] : pair)),
    secrets: pairs.filter(isOwn).map(([, value]) => value),
  };
}

/** Shorter values are no secrets, and would tear the answer to pieces. */
const shortestSecret = 6;

/** An answer that repeats the request would show them. */
function withoutSecrets({ headers, body, isCut }: Answer, secrets: readonly string[]): Answer {
  const long = secrets.filter((secret) => secret.length >= shortestSecret);
  if (long.length === 0) return { headers, body, isCut };
  const hide = (text: string): string => long.reduce((left, secret) => left.replaceAll(secret, hidden), text);
  return {
    headers: headers.map(([name, value]) => [name, hide(value)]),
    body: Buffer.from(hide(Buffer.from(body).toString('latin1')), 'latin1'),
    isCut,
  };
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
