import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { sendTemplate } from '../sends.ts';
import type { VNode } from 'preact';
import { kindOf } from '../../../rules/channels/kinds.ts';
import { isSendable } from '../../../rules/templates/template.ts';
import type { Template } from '../../../rules/templates/template.ts';
import type { GivenVariables } from '../../../rules/templates/filled.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import { newId } from '../../../kernel/ids.ts';
import { Answer, sentAsByApi, writeCurl } from './send-answer.tsx';
import type { Sent } from './send-answer.tsx';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, problem, readProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Lines } from '../../../pages/components.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { allFields, givenIn } from './send-variables.ts';
import type { VariableField } from './send-variables.ts';
import { templatesPath, channelPath } from '../../../pages/paths.ts';
import { channelAt } from '../../channels/index.ts';
import { StoredPreview, templateAt } from '../../templates/index.ts';

interface Typed {
  recipient: string;
  /** Values by field name. */
  values: ReadonlyMap<string, string>;
  variables: GivenVariables | null;
}

interface Shown {
  typed?: Typed;
  problems?: Problems;
  sent?: Sent;
}

async function showSend(context: SignedInContext, shown: Shown = {}): Promise<void> {
  const template = await templateAt(context);
  const { problems = noProblems } = shown;
  const { channel } = await channelAt(context);
  const channelId = idIn(context, 'channel_id');
  answerShell(context, {
    title: 'Send a template',
    heading: `Send “${template.name}” (${template.language})`,
    back: <a href={`${templatesPath}?channel=${channelId}`}>All templates</a>,
    at: templatesPath,
    status: problems.status,
    children: (
      <>
        {isSendable(template) ? (
          <SendForm context={context} kind={channel.channelType} template={template} shown={shown} />
        ) : (
          <p>Its state is {template.status.toLowerCase()}: only approved ones can be sent.</p>
        )}
      </>
    ),
  });
}

interface SendProps {
  context: SignedInContext;
  kind: ChannelType;
  template: Template;
  shown: Shown;
}

function SendForm({ context, kind, template, shown }: SendProps): VNode {
  const { typed, problems = noProblems, sent } = shown;
  const channelId = idIn(context, 'channel_id');
  return (
    <>
      <div class="beside">
        <Form action={`${channelPath(channelId)}/templates/${template.id}/send`} csrf={context.csrf}>
          <Alert problems={problems} />
          <input type="hidden" name="once" value={newId()} />
          <Field
            name="recipient"
            label="Recipient"
            value={typed?.recipient ?? ''}
            hint={kindOf(kind).recipientHint}
            autocomplete="off"
            mono
            maxLength={64}
            problems={problems}
          />
          {allFields(template).map((field) => (
            <ValueField field={field} typed={typed} problems={problems} />
          ))}
          <button>Send</button>
        </Form>
        <StoredPreview template={template} />
      </div>
      {sent === undefined ? null : <Answer sent={sent} channelId={channelId} />}
      <h2>The same from your program</h2>
      <Lines text={writeSendCurl(context, template, typed)} label="the call" />
    </>
  );
}

interface ValueProps {
  field: VariableField;
  typed: Typed | undefined;
  problems: Problems;
}

function ValueField({ field: { name, label, example }, typed, problems }: ValueProps): VNode {
  return (
    <Field
      name={name}
      label={label}
      value={typed?.values.get(name) ?? ''}
      hint={example === null ? undefined : `For example: ${example}`}
      autocomplete="off"
      problems={problems}
    />
  );
}

/** The call as a shell command; with the examples as values until something was sent. */
function writeSendCurl(
  { baseUrl, request }: SignedInContext,
  template: Template,
  typed: Typed | undefined,
): string {
  const { name, language } = template;
  const examples = new Map(allFields(template).map(({ name: field, example }) => [field, example ?? '…']));
  const text = (field: string): string => examples.get(field) ?? '';
  const variables = typed?.variables ?? givenIn({ text, exact: text }, template);
  return writeCurl(baseUrl, '/api/v1/messages/send-template', {
    channel_id: request.params['channel_id'],
    recipient: typed === undefined || typed.recipient === '' ? '…' : typed.recipient,
    template_name: name,
    language,
    ...(variables === null ? {} : { variables }),
  });
}

async function send(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const template = await templateAt(context);
  if (!isSendable(template)) return showSend(context, { problems: problem(400, '') });
  const channelId = idIn(context, 'channel_id');
  const { name, language } = template;
  const typed = {
    recipient: form.text('recipient'),
    values: new Map(allFields(template).map((field) => [field.name, form.text(field.name)])),
    variables: givenIn(form, template),
  };
  const { recipient, variables } = typed;
  const tried = await trying(() =>
    sentAsByApi(context, form.text('once'), (caller, idempotencyKey) =>
      sendTemplate(context.world, caller, {
        channelId,
        recipient,
        idempotencyKey,
        name,
        language,
        variables,
      }),
    ),
  );
  if ('problems' in tried) return showSend(context, { typed, problems: tried.problems });
  const sent = tried.done;
  const problems =
    sent.refusal === undefined ? { ...noProblems, status: sent.status } : readProblems(sent.refusal);
  await showSend(context, { typed, problems, sent });
}

const path = `${channelPath('{channel_id}')}/templates/{template_id}/send`;

export const sendTemplatePages = [
  signedInPage({
    get: path,
    may: 'developer',
    name: 'sendTemplatePage',
    open: (context) => showSend(context),
  }),
  signedInPage({
    post: path,
    may: 'developer',
    name: 'sendTemplateByForm',
    open: send,
  }),
];
