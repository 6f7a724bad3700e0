import type { SignedInContext } from '../../route.ts';
import { deleteTemplate } from '../remove.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { readForm } from '../../../pages/forms/form.tsx';
import { trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { templateAt } from './edit.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { templatesPath, channelPath } from '../../../pages/paths.ts';

export async function askRemove(context: SignedInContext, problems: Problems): Promise<void> {
  const { id, name, language, status } = await templateAt(context);
  const channelId = idIn(context, 'channel_id');
  answerConfirmation(context, {
    title: 'Delete a template',
    question: `Delete “${name}” (${language})?`,
    at: templatesPath,
    status: problems.status,
    children: (
      <>
        <Alert problems={problems} />
        <p>
          After that it can no longer be sent.
          {status === 'APPROVED'
            ? ' The platform blocks the name of an approved template for 30 days.'
            : ''}{' '}
          Other languages stay.
        </p>
      </>
    ),
    action: `${channelPath(channelId)}/templates/${id}/delete`,
    yes: 'Delete the template',
    no: { path: `${templatesPath}?channel=${channelId}`, word: 'Keep it' },
  });
}

export async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const [channelId, templateId] = [idIn(context, 'channel_id'), idIn(context, 'template_id')];
  const tried = await trying(async () =>
    deleteTemplate(context.world, context.actor(), channelId, templateId, { allLanguages: false }),
  );
  if ('problems' in tried) return askRemove(context, tried.problems);
  sendRedirect(context.response, `${templatesPath}?channel=${channelId}&removed`);
}
