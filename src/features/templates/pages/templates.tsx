import { leadBack, signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { listTemplates } from '../list.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { nothingTyped } from './draft.ts';
import { edit, showEdit } from './edit.tsx';
import { show } from './list.tsx';
import { create, showNew } from './new.tsx';
import { askRemove, remove } from './remove.tsx';
import { templatesPath, channelPath } from '../../../pages/paths.ts';

async function sync(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  const page = { limit: 1, cursor: null };
  const tried = await trying(() =>
    listTemplates(context.world, context.caller, channelId, { sync: true, status: null, page }),
  );
  if ('problems' in tried)
    return show({ ...context, query: new URLSearchParams({ channel: channelId }) }, tried.problems);
  sendRedirect(
    context.response,
    `${templatesPath}?channel=${channelId}&${tried.done.synced ? 'synced' : 'stale'}`,
  );
}

const of = `${channelPath('{channel_id}')}/templates`;

/** [spec: Templates] */
export const templatePages: FeaturePages = {
  routes: [
    signedInPage({ get: templatesPath, name: 'templatesPage', open: (context) => show(context, noProblems) }),
    signedInPage({
      get: `${of}/new`,
      may: 'developer',
      name: 'newTemplatePage',
      open: (context) => showNew(context, noProblems, nothingTyped),
    }),
    signedInPage({ post: of, may: 'developer', name: 'makeTemplate', open: create }),
    signedInPage({ post: `${of}/sync`, may: 'developer', name: 'syncTemplates', open: sync }),
    ...[of, `${of}/sync`].map((form) =>
      leadBack(form, (context) => `/portal/templates?channel=${idIn(context, 'channel_id')}`),
    ),
    signedInPage({
      get: `${of}/{template_id}/edit`,
      may: 'developer',
      name: 'editTemplatePage',
      open: showEdit,
    }),
    signedInPage({ post: `${of}/{template_id}/edit`, may: 'developer', name: 'editTemplate', open: edit }),
    signedInPage({
      get: `${of}/{template_id}/delete`,
      may: 'developer',
      name: 'removeTemplatePage',
      open: (context) => askRemove(context, noProblems),
    }),
    signedInPage({
      post: `${of}/{template_id}/delete`,
      may: 'developer',
      name: 'removeTemplate',
      open: remove,
    }),
  ],
  place: { path: templatesPath, name: 'Templates', icon: 'template', group: 'Build' },
};
