/** Sends what was typed into the form, as the API would. */
import { fieldFault } from '../../../kernel/faults.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import { kindOf } from '../../../rules/channels/kinds.ts';
import { mediaTypes } from '../../../rules/messages/message.ts';
import type { ArrivingFile } from '../../../http/middleware/file-form.ts';
import type { OpenForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { toUpload, uploadMedia } from '../../media/index.ts';
import type { SignedInContext } from '../../route.ts';
import { sendWays } from '../send-ways.ts';
import { sentAsByApi } from './send-answer.tsx';
import type { Sent } from './send-answer.tsx';
import type { SendShown, Typed } from './send-form.tsx';
import { extrasIn, fieldsOf } from './send-kinds.ts';
import type { SendField, SendKind } from './send-field.ts';

/** A file is uploaded once everything else of the form is right. */
export async function trySend(
  context: SignedInContext,
  channel: Channel,
  kind: SendKind,
  form: OpenForm,
): Promise<SendShown> {
  const fields = fieldsOf(kindOf(channel.channelType), kind);
  const typed: Typed = {
    recipient: form.text('recipient'),
    values: new Map(fields.map((field) => [field.name, valueOf(form, field)])),
    filename: form.file?.filename ?? null,
  };
  const tried = await trying(() => send(context, channel, kind, { form, typed }));
  if ('problems' in tried) return { problems: placed(tried.problems, fields), typed };
  return { sent: tried.done, problems: { ...noProblems, status: tried.done.status }, typed };
}

/** A text is sent as it was typed. */
function valueOf(form: OpenForm, { name, is }: SendField): string {
  return is === 'lines' ? form.exact(name).replaceAll('\r\n', '\n') : form.text(name);
}

async function send(
  context: SignedInContext,
  { id: channelId }: Channel,
  kind: SendKind,
  { form, typed: { recipient, values } }: { form: OpenForm; typed: Typed },
): Promise<Sent> {
  const text = (name: string): string => values.get(name) ?? '';
  // The API says "at least 1 character".
  if (values.get('text') === '') throw fieldFault(['body', 'text'], 'Write something.', 'string_too_short');
  const checked = (mediaId: string) => {
    const own = kind.body((name) => (name === 'media_id' ? mediaId : text(name)));
    const body = { channel_id: channelId, recipient, ...own, ...extrasIn(text) };
    return sendWays[kind.way].checked(context.parse, body);
  };
  const { file } = form;
  const once = form.text('once');
  const first = checked(file === null ? '' : newId());
  const asked = file === null ? first : checked(await uploaded(context, { file, once, channelId }, text));
  return sentAsByApi(context, once, (caller, idempotencyKey) =>
    asked(context.world, caller, { channelId, recipient, idempotencyKey }),
  );
}

/** Returns the id of the upload: the same for a form that is posted again, so that it is the same send. */
async function uploaded(
  context: SignedInContext,
  { file, once, channelId }: { file: ArrivingFile; once: string; channelId: string },
  text: (name: string) => string,
): Promise<string> {
  if (text('media_url') !== '') throw fieldFault(['body', 'file'], 'Give an address or a file, not both.');
  const mediaType = mediaTypes.find((type) => type === text('media_type')) ?? 'document';
  const upload = { ...toUpload(file), mediaType, channelId, ...(once === '' ? {} : { once }) };
  return (await uploadMedia(context.world, context.actor(), upload)).id;
}

/** What is wrong with a field that the form does not have is said above it. */
function placed(problems: Problems, fields: readonly SendField[]): Problems {
  const names = [...fields.map(({ name }) => name), 'recipient'];
  const isPlaced = (field: string): boolean =>
    names.some((name) => field === name || name.startsWith(`${field}.`) || field.startsWith(`${name}.`));
  const lost = Object.entries(problems.fields).find(([field]) => !isPlaced(field));
  return lost === undefined ? problems : { ...problems, all: lost[1] };
}
