import type { SignedInContext } from '../../route.ts';
import { readTemplate } from '../list.ts';
import { updateTemplate } from '../update.ts';
import type { VNode } from 'preact';
import { canChangeCategory, isEditable } from '../../../rules/templates/template.ts';
import type { Template } from '../../../rules/templates/template.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { ButtonFields, toTypedButtons, storedButtons } from './buttons.tsx';
import { atFields, toEdit, typedIn, toTypedTemplate } from './draft.ts';
import type { TypedTemplate } from './draft.ts';
import { AskPreview, Preview } from './preview.tsx';
import { Category, Texts } from './texts.tsx';
import { templatesPath, channelPath } from '../../../pages/paths.ts';

/** The template that the URL names. Throws 404 `not_found`. */
export function templateAt(context: SignedInContext): Promise<Template> {
  return readTemplate(
    context.world,
    context.caller,
    idIn(context, 'channel_id'),
    idIn(context, 'template_id'),
  );
}

export async function showEdit(context: SignedInContext): Promise<void> {
  const template = await templateAt(context);
  answer(context, template, noProblems, toTypedTemplate(template));
}

/** `typed` is null if the template has parts that the form can't represent. */
function answer(
  context: SignedInContext,
  template: Template,
  problems: Problems,
  typed: TypedTemplate | null,
): void {
  const { name, language } = template;
  const channelId = idIn(context, 'channel_id');
  const isHere = typed !== null && isEditable(template);
  answerShell(context, {
    title: 'Edit a template',
    heading: `Edit “${name}” (${language})`,
    back: <a href={`${templatesPath}?channel=${channelId}`}>All templates</a>,
    at: templatesPath,
    status: problems.status,
    scripts: isHere ? ['template.js'] : [],
    children: (
      <>
        {isHere ? (
          <EditForm context={context} template={template} problems={problems} typed={typed} />
        ) : (
          <p>{whyNot(template)}</p>
        )}
      </>
    ),
  });
}

function whyNot(template: Template): string {
  return isEditable(template)
    ? 'The template has parts that this form does not support. Your program can edit it: PUT it with all of its components.'
    : `Its state is ${template.status.toLowerCase()}: only approved, rejected and paused ones can be edited.`;
}

interface EditProps {
  context: SignedInContext;
  template: Template;
  problems: Problems;
  typed: TypedTemplate;
}

/** [spec: TemplateUpdateRequest; Limits] */
function EditForm({ context, template, problems, typed }: EditProps): VNode {
  const action = `${channelPath(idIn(context, 'channel_id'))}/templates/${template.id}/edit`;
  return (
    <>
      <p>
        The platform reviews it again; until then it can’t be sent.
        {template.status === 'APPROVED'
          ? ' An approved one can be edited once in 24 hours and 10 times in 30 days.'
          : ''}
      </p>
      <div class="beside">
        <Form action={action} csrf={context.csrf}>
          <Alert problems={problems} />
          {canChangeCategory(template) ? <Category typed={typed} /> : null}
          <Texts typed={typed} problems={problems} />
          {toTypedButtons(storedButtons(template)) === null ? (
            <p class="hint">Its buttons stay as they are: this form does not support all of them.</p>
          ) : (
            <ButtonFields buttons={typed.buttons} problems={problems} />
          )}
          <AskPreview />
          <button>Submit for review</button>
        </Form>
        <Preview typed={typed} />
      </div>
    </>
  );
}

export async function edit(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const template = await templateAt(context);
  const before = toTypedTemplate(template);
  if (before === null || !isEditable(template)) return answer(context, template, noProblems, before);
  const { name, language } = before;
  const asked = typedIn(form);
  const category = canChangeCategory(template) ? asked.category : before.category;
  // A form that does not show the buttons leaves them unchanged.
  const buttons = form.text('buttons') === '' ? before.buttons : asked.buttons;
  const typed = { ...asked, name, language, category, buttons };
  if (form.text('preview') !== '') return answer(context, template, noProblems, typed);
  const channelId = idIn(context, 'channel_id');
  const tried = await trying(async () =>
    updateTemplate(context.world, context.actor(), channelId, template.id, toEdit(typed, template)),
  );
  if ('problems' in tried) return answer(context, template, atFields(tried.problems, typed), typed);
  sendRedirect(context.response, `${templatesPath}?channel=${channelId}&made`);
}
