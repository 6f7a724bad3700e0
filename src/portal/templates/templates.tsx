import { sendRedirect } from '../../http/answers.ts';
import { readForm } from '../forms/read-form.ts';
import { noProblems, trying } from '../forms/problems.ts';
import { idIn, leadBack, signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { nothingTyped } from './draft.ts';
import { edit, showEdit } from './edit.tsx';
import { path, show } from './list.tsx';
import { create, showNew } from './new.tsx';
import { askRemove, remove } from './remove.tsx';
import { send, showSend } from './send.tsx';

async function sync(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  const page = { limit: 1, cursor: null };
  const tried = await trying(() =>
    context.useCases.listTemplates(context.caller, channelId, { sync: true, status: null, page }),
  );
  if ('problems' in tried)
    return show({ ...context, query: new URLSearchParams({ channel: channelId }) }, tried.problems);
  sendRedirect(context.response, `${path}?channel=${channelId}&${tried.done.synced ? 'synced' : 'stale'}`);
}

const of = '/portal/channels/{channel_id}/templates';

/** [spec: Templates] */
export const templatePages = [
  signedInPage({
    method: 'get',
    path,
    name: 'templatesPage',
    open: (context) => show(context, noProblems),
  }),
  signedInPage({
    method: 'get',
    may: 'developer',
    path: `${of}/new`,
    name: 'newTemplatePage',
    open: (context) => showNew(context, noProblems, nothingTyped),
  }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: of,
    name: 'makeTemplate',
    open: create,
  }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: `${of}/sync`,
    name: 'syncTemplates',
    open: sync,
  }),
  ...[of, `${of}/sync`].map((form) =>
    leadBack(form, (context) => `/portal/templates?channel=${idIn(context, 'channel_id')}`),
  ),
  signedInPage({
    method: 'get',
    may: 'developer',
    path: `${of}/{template_id}/edit`,
    name: 'editTemplatePage',
    open: showEdit,
  }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: `${of}/{template_id}/edit`,
    name: 'editTemplate',
    open: edit,
  }),
  signedInPage({
    method: 'get',
    may: 'developer',
    path: `${of}/{template_id}/send`,
    name: 'sendTemplatePage',
    open: (context) => showSend(context),
  }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: `${of}/{template_id}/send`,
    name: 'sendTemplateByForm',
    open: send,
  }),
  signedInPage({
    method: 'get',
    may: 'developer',
    path: `${of}/{template_id}/delete`,
    name: 'removeTemplatePage',
    open: (context) => askRemove(context, noProblems),
  }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: `${of}/{template_id}/delete`,
    name: 'removeTemplate',
    open: remove,
  }),
];
