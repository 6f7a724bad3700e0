/** The form that sends what the API sends, as far as the kind of channel has it; the answer, and the same call for a program. */
import type { VNode } from 'preact';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import { mediaTypes } from '../../../rules/messages/message.ts';
import { newId } from '../../../kernel/ids.ts';
import { Lines, Tabs } from '../../../pages/components.tsx';
import { Alert, Choice, Field, FileField } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { channelTabPath } from '../../../pages/paths.ts';
import type { SignedInContext } from '../../route.ts';
import { sendWays } from '../send-ways.ts';
import { Answer, writeCurl, writeUpload } from './send-answer.tsx';
import type { Sent } from './send-answer.tsx';
import { extrasIn, fieldsOf, sendKindsOf } from './send-kinds.ts';
import type { SendField, SendKind } from './send-field.ts';

export interface Typed {
  recipient: string;
  /** By name of the field. */
  values: ReadonlyMap<string, string>;
  /** Of the chosen file; null: none. */
  filename: string | null;
}

export interface SendShown {
  problems: Problems;
  typed?: Typed;
  sent?: Sent;
}

/** The sort of message that the address or the form names; a text otherwise. */
export function sendKindIn({ channelType }: Channel, name: string | null): SendKind {
  const [text, ...others] = sendKindsOf(kindOf(channelType));
  const found = others.find((each) => each.name === name) ?? text;
  if (found === undefined) throw new Error('a kind that sends nothing');
  return found;
}

interface FormProps extends SendShown {
  context: SignedInContext;
  channel: Channel;
  kind: SendKind;
}

export function sendForm({ context, channel, kind, problems, typed, sent }: FormProps): VNode {
  const ofChannel = kindOf(channel.channelType);
  const path = channelTabPath(channel.id, 'send');
  const pathOf = ({ name }: SendKind): string => (name === 'text' ? path : `${path}?what=${name}`);
  const tabs = sendKindsOf(ofChannel).map((each) => ({ path: pathOf(each), name: each.label }));
  const values = sent?.status === 200 ? undefined : typed?.values;
  const fields = fieldsOf(ofChannel, kind);
  return (
    <section aria-labelledby="send">
      <h2 id="send">Send a message</h2>
      <Tabs label="What to send" tabs={tabs} at={pathOf(kind)} />
      <Form action={path} csrf={context.csrf} class="narrow" hasFile={fields.some(({ is }) => is === 'file')}>
        <Alert problems={problems} />
        <input type="hidden" name="once" value={newId()} />
        <input type="hidden" name="what" value={kind.name} />
        <Field
          name="recipient"
          label="Recipient"
          value={typed?.recipient ?? ''}
          hint={ofChannel.recipientHint}
          autocomplete="off"
          mono
          maxLength={135}
          problems={problems}
        />
        {fields.map((field) => (
          <Typing field={field} value={values?.get(field.name) ?? ''} problems={problems} />
        ))}
        <button>Send</button>
      </Form>
      {sent === undefined ? null : <Answer sent={sent} channelId={channel.id} />}
      <h3>The same from your program</h3>
      <Lines text={writeCalls(context.baseUrl, channel.id, kind, typed)} label="the call" />
    </section>
  );
}

function Typing({ field, value, problems }: { field: SendField; value: string; problems: Problems }): VNode {
  const { name, label, hint, is, isOptional, maxLength } = field;
  switch (is) {
    case 'check':
      return (
        <label class="check">
          <input type="checkbox" name={name} checked={value !== ''} />
          {label}
        </label>
      );
    case 'media-type':
      return (
        <Choice name={name} label={label} options={mediaTypes.map((type) => [type, type])} chosen={value} />
      );
    case 'file':
      return <FileField name={name} label={label} hint={hint} problems={problems} />;
    default:
      return (
        <Field
          name={name}
          label={isOptional === true && is !== 'url' ? `${label} (optional)` : label}
          value={value}
          problems={problems}
          required={isOptional !== true}
          {...(hint === undefined ? {} : { hint })}
          {...(maxLength === undefined ? {} : { maxLength })}
          {...(is === 'lines' ? { rows: 3 } : {})}
          {...(is === 'url' ? { type: 'url' } : {})}
        />
      );
  }
}

/** With what was typed, or examples until then. */
function writeCalls(baseUrl: string, channelId: string, kind: SendKind, typed: Typed | undefined): string {
  const examples = new Map(
    [...kind.fields, ...(kind.last ?? [])].map(({ name, example }) => [name, example]),
  );
  const { recipient, values, filename } = typed ?? { recipient: '', values: examples, filename: null };
  const given = filename === null ? values : new Map([...values, ['media_id', '…']]);
  const text = (name: string): string => given.get(name) ?? '';
  const body = { ...kind.body(text), ...extrasIn(text) };
  const call = writeCurl(baseUrl, sendWays[kind.way].path, {
    channel_id: channelId,
    recipient: recipient === '' ? '…' : recipient,
    ...body,
  });
  if (filename === null) return call;
  const fields = { channel_id: channelId, media_type: text('media_type') };
  return `${writeUpload(baseUrl, fields, filename)}\n\n${call}`;
}
