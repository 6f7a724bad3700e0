import type { SignedInContext } from '../../route.ts';
import { createTemplate } from '../create.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { ButtonFields } from './buttons.tsx';
import { atFields, toDraft, typedIn } from './draft.ts';
import type { TypedTemplate } from './draft.ts';
import { AskPreview, Preview } from './preview.tsx';
import { Category, Texts } from './texts.tsx';
import type { TextsProps } from './texts.tsx';
import { templatesPath, channelPath } from '../../../pages/paths.ts';
import { channelAt } from '../../channels/index.ts';

export async function showNew(
  context: SignedInContext,
  problems: Problems,
  typed: TypedTemplate,
): Promise<void> {
  const { channel } = await channelAt(context);
  answerShell(context, {
    title: 'New template',
    back: <a href={`${templatesPath}?channel=${channel.id}`}>All templates</a>,
    at: templatesPath,
    status: problems.status,
    scripts: ['template.js'],
    children: (
      <>
        <p>
          The platform reviews it, which takes minutes to a day. Variables are written {'{{1}}'}, {'{{2}}'},
          or by names: {'{{first_name}}'}.
        </p>
        <div class="beside">
          <Form action={`${channelPath(channel.id)}/templates`} csrf={context.csrf}>
            <Alert problems={problems} />
            <Fields typed={typed} problems={problems} />
            <AskPreview />
            <button>Submit for review</button>
          </Form>
          <Preview typed={typed} />
        </div>
      </>
    ),
  });
}

function Fields({ typed, problems }: TextsProps): VNode {
  return (
    <>
      <Field
        name="name"
        label="Name"
        hint="Lowercase letters, digits and _. Your program sends it by this name."
        value={typed.name}
        mono
        maxLength={512}
        problems={problems}
      />
      <div class="pair">
        <Field
          name="language"
          label="Language"
          value={typed.language}
          mono
          maxLength={16}
          problems={problems}
        />
        <Category typed={typed} />
      </div>
      <Texts typed={typed} problems={problems} />
      <ButtonFields buttons={typed.buttons} problems={problems} />
    </>
  );
}

export async function create(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const channelId = idIn(context, 'channel_id');
  const typed = typedIn(form);
  if (form.text('preview') !== '') return showNew(context, noProblems, typed);
  const tried = await trying(async () =>
    createTemplate(context.world, context.actor(), channelId, toDraft(typed)),
  );
  if ('problems' in tried) return showNew(context, atFields(tried.problems, typed), typed);
  sendRedirect(context.response, `${templatesPath}?channel=${channelId}&made`);
}
