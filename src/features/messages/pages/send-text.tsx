import { sendText } from '../sends.ts';
import type { SignedInContext } from '../../route.ts';
import type { VNode } from 'preact';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import { sendAnswer } from '../schemas.ts';
import { Fault, fieldFault } from '../../../kernel/faults.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Caller } from '../../../rules/caller.ts';
import type { SendAnswer } from '../types.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { Lines, Badge } from '../../../pages/components.tsx';
import { channelPath, messagePath } from '../../../pages/paths.ts';

/** The answer that the API would have given. */
export interface Sent {
  status: number;
  body: unknown;
  /** null: nothing was sent. */
  messageId: string | null;
  isFailed: boolean;
  /** The fault with which the API refused the send. */
  refusal?: Fault;
}

interface Typed {
  recipient?: string;
  text?: string;
}

export function sendForm(
  context: SignedInContext,
  channel: Channel,
  problems: Problems,
  { typed = {}, sent }: { typed?: Typed; sent?: Sent },
): VNode {
  return (
    <section aria-labelledby="send">
      <h2 id="send">Send a message</h2>
      <Form action={`${channelPath(channel.id)}/send`} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <input type="hidden" name="once" value={newId()} />
        <Field
          name="recipient"
          label="Recipient"
          value={typed.recipient ?? ''}
          hint={kindOf(channel.channelType).recipientHint}
          autocomplete="off"
          mono
          maxLength={64}
          problems={problems}
        />
        <Field
          name="text"
          label="Text"
          rows={3}
          value={sent?.status === 200 ? '' : (typed.text ?? '')}
          maxLength={4_096}
          problems={problems}
        />
        <button>Send</button>
      </Form>
      {sent === undefined ? null : <Answer sent={sent} channelId={channel.id} />}
      <h3>The same from your program</h3>
      <Lines text={writeSendCurl(context.baseUrl, channel.id, typed)} label="the call" />
    </section>
  );
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

function writeSendCurl(baseUrl: string, channelId: string, { recipient = '', text = '' }: Typed): string {
  const said = { channel_id: channelId, recipient: recipient || '…', text: text || '…' };
  return writeCurl(baseUrl, '/api/v1/messages/send', said);
}

/** The form's API call as a shell command. The typed values are within single quotes, where a shell interprets nothing. */
export function writeCurl(baseUrl: string, path: string, said: object): string {
  const body = JSON.stringify(said).replaceAll("'", String.raw`'\''`);
  return `curl ${baseUrl}${path} -H "X-API-Key: $KEY" \\\n  -H 'content-type: application/json' -d '${body}'`;
}

/** The form carries an idempotency key: posted twice, it sends once. */
export async function trySend(
  context: SignedInContext,
  channelId: string,
  form: ReadForm,
): Promise<{ sendProblems?: Problems; sent?: Sent; typed?: Typed }> {
  const typed = { recipient: form.text('recipient'), text: form.exact('text').replaceAll('\r\n', '\n') };
  const tried = await trying(async () => {
    // The API checks this in its schema, not in `sendText`.
    if (typed.text === '') throw fieldFault(['body', 'text'], 'Write something.', 'string_too_short');
    return sentAsByApi(context, form, (caller, idempotencyKey) =>
      sendText(context.world, caller, { channelId, ...typed, idempotencyKey }),
    );
  });
  if ('problems' in tried) return { sendProblems: tried.problems, typed };
  return { sent: tried.done, sendProblems: { ...noProblems, status: tried.done.status }, typed };
}

/** What the API would answer, refusals included. Throws server errors, and 400 until the e-mail address is confirmed. */
export async function sentAsByApi(
  context: SignedInContext,
  form: ReadForm,
  send: (caller: Caller, idempotencyKey: string | null) => Promise<SendAnswer>,
): Promise<Sent> {
  const caller = context.actor();
  const once = form.text('once').slice(0, 64);
  try {
    const answer = await send(caller, once === '' ? null : `portal-${once}`);
    const isFailed = answer.status === 'failed';
    return { status: 200, body: sendAnswer(answer), messageId: answer.messageId, isFailed };
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.status >= 500) throw thrown;
    const refused = { status: thrown.status, body: { detail: thrown.detail }, refusal: thrown };
    return { ...refused, messageId: null, isFailed: true };
  }
}
