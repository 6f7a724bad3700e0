/** A template's life: create, read, edit, delete, and one that does not exist. */
import { newId } from '../../kernel/ids.ts';
import { textIn } from '../../kernel/json.ts';
import { compare, record, skip, wordOf, type Run } from './run.ts';

const body = (text: string) => [{ type: 'BODY', text }];

export async function templates(run: Run): Promise<void> {
  if (run.channelType !== 'chatapp') return skip(run, 'templates');
  const { service, channelId } = run;
  const path = `/api/v1/channels/${channelId}/templates`;
  const request = {
    name: `acceptance_${newId().slice(0, 8)}`,
    category: 'UTILITY',
    language: 'en_US',
    components: body('This is a template of an acceptance run.'),
  };
  const made = await service.api('POST', path, request);
  compare(run, 'create a template', '201 PENDING', wordOf(made));
  const id = textIn(made.body, 'id');
  if (id === null) return;
  compare(run, 'list the templates', '200', wordOf(await service.api('GET', path)));
  compare(run, 'read a template', '200 PENDING', wordOf(await service.api('GET', `${path}/${id}`)));
  await run.person.ask({
    name: 'review',
    text: 'Wait until the template is approved (minutes). Press Enter.',
  });
  await service.api('GET', path);
  const edited = await service.api('PUT', `${path}/${id}`, {
    components: body('This is the other text of it.'),
  });
  record(run, 'edit an approved template', 'U11', wordOf(edited));
  compare(run, 'delete a template', '200', wordOf(await service.api('DELETE', `${path}/${id}`)));
  record(run, 'delete it again', 'U10', wordOf(await service.api('DELETE', `${path}/${id}`)));
}
