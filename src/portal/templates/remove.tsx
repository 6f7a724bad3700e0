import { sendRedirect } from '../../http/answers.ts';
import { Alert } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { idIn } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';

const list = '/portal/templates';

export async function askRemove(desk: SignedInDesk, problems: Problems): Promise<void> {
  const [channelId, templateId] = [idIn(desk, 'channel_id'), idIn(desk, 'template_id')];
  const { name, language, status } = await desk.useCases.readTemplate(desk.caller, channelId, templateId);
  answerShell(desk, {
    title: 'Delete a template',
    at: list,
    status: problems.status,
    children: (
      <>
        <h1>
          Delete “{name}” ({language})?
        </h1>
        <Alert problems={problems} />
        <p>
          Sends of it are refused from then on.
          {status === 'APPROVED'
            ? ' The platform blocks the name of an approved template for 30 days.'
            : ''}{' '}
          Other languages stay.
        </p>
        <Form action={`/portal/channels/${channelId}/templates/${templateId}/delete`} csrf={desk.csrf}>
          <button class="danger">Delete the template</button>{' '}
          <a href={`${list}?channel=${channelId}`}>Keep it</a>
        </Form>
      </>
    ),
  });
}

export async function remove(desk: SignedInDesk): Promise<void> {
  await readForm(desk);
  const [channelId, templateId] = [idIn(desk, 'channel_id'), idIn(desk, 'template_id')];
  const tried = await trying(async () =>
    desk.useCases.deleteTemplate(desk.actor(), channelId, templateId, { allLanguages: false }),
  );
  if ('problems' in tried) return askRemove(desk, tried.problems);
  sendRedirect(desk.response, `${list}?channel=${channelId}&removed`);
}
