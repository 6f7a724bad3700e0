/** The answer that the API would have given to a form's send, and the call as a shell command. */
import type { VNode } from 'preact';
import { Fault } from '../../../kernel/faults.ts';
import type { Caller } from '../../../rules/caller.ts';
import { Badge } from '../../../pages/components.tsx';
import { messagePath } from '../../../pages/paths.ts';
import type { SignedInContext } from '../../route.ts';
import { sendAnswer } from '../schemas.ts';
import type { SendAnswer } from '../types.ts';

export interface Sent {
  status: number;
  body: unknown;
  /** null: nothing was sent. */
  messageId: string | null;
  isFailed: boolean;
  /** The fault with which the API refused the send. */
  refusal?: Fault;
}

export function Answer({ sent, channelId }: { sent: Sent; channelId: string }): VNode {
  return (
    <div role="status" tabindex={-1} autofocus>
      <h3>
        The answer: <Badge tone={sent.isFailed ? 'bad' : 'good'}>{sent.status}</Badge>
      </h3>
      <pre tabindex={0}>{JSON.stringify(sent.body, null, 2)}</pre>
      {sent.messageId === null ? null : (
        <p>
          <a href={messagePath(channelId, sent.messageId)}>What became of it</a>
        </p>
      )}
    </div>
  );
}

/** The form's API call as a shell command. The typed values are within single quotes, where a shell interprets nothing. */
export function writeCurl(baseUrl: string, path: string, said: object): string {
  return `curl ${baseUrl}${path} -H "X-API-Key: $KEY" \\\n  -H 'content-type: application/json' -d ${quoted(JSON.stringify(said))}`;
}

/** The upload of a file as a shell command. */
export function writeUpload(
  baseUrl: string,
  fields: Readonly<Record<string, string>>,
  filename: string,
): string {
  const given = Object.entries(fields).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`);
  return `curl ${baseUrl}/api/v1/media -H "X-API-Key: $KEY" \\\n  ${[...given, `-F ${quoted(`file=@${filename}`)}`].join(' ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * What the API would answer, refusals included. Throws server errors, and 400 until the e-mail address is confirmed. The form carries an
 * idempotency key: posted twice, it sends once.
 */
export async function sentAsByApi(
  context: SignedInContext,
  once: string,
  send: (caller: Caller, idempotencyKey: string | null) => Promise<SendAnswer>,
): Promise<Sent> {
  const caller = context.actor();
  const key = once.slice(0, 64);
  try {
    const answer = await send(caller, key === '' ? null : `portal-${key}`);
    const isFailed = answer.status === 'failed';
    return { status: 200, body: sendAnswer(answer), messageId: answer.messageId, isFailed };
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.status >= 500) throw thrown;
    const refused = { status: thrown.status, body: { detail: thrown.detail }, refusal: thrown };
    return { ...refused, messageId: null, isFailed: true };
  }
}
