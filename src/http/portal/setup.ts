import type { Request, Response } from 'express';
import { sendPage, sendRedirect } from '../answers.ts';
import type { RouteContext } from '../options.ts';
import { openRoute } from '../route.ts';
import { queryOf } from '../validation/query.ts';
import { callbackIncomplete, callbackUnknown, setupUnknown } from './notices.ts';
import { noticePage, plainPagePolicy } from './page.ts';
import type { Notice } from './page.ts';

const tag = 'Setup flow';
const page = (description: string) => ({ contentType: 'text/html', description });

/** [operator-interface §3] Where the dialog returns; before the other, whose parameter would match it. */
export const callbackRoute = openRoute({
  method: 'get',
  path: '/setup/callback',
  name: 'finishSetup',
  tag,
  summary: "Where the platform's dialog returns",
  parameters: ['state', 'code', 'error'].map((name) => ({
    name,
    in: 'query',
    required: name === 'state',
    schema: { type: 'string' },
    description: 'Set by the dialog',
  })),
  errors: [503],
  failures: 'page',
  answers: {
    302: page("To the client's `redirect_uri` with `code`, or with `error` and `error_description`"),
    400: page('No usable `state`'),
    410: page('The setup is unknown, expired or already completed'),
  },
  open: answerCallback,
});

/** [operator-interface §3] */
export const setupRoute = openRoute({
  method: 'get',
  path: '/setup/{session_id}',
  name: 'openSetup',
  tag,
  summary: 'Where `setup_url` points',
  parameters: [
    {
      name: 'token',
      in: 'query',
      required: true,
      schema: { type: 'string' },
      description: 'Unguessable, from `setup_url`',
    },
  ],
  errors: [503],
  failures: 'page',
  answers: {
    302: page("To the platform's dialog"),
    404: page('The link is unknown, expired or already used'),
  },
  open: answerSetup,
});

async function answerSetup(request: Request, response: Response, { useCases }: RouteContext): Promise<void> {
  const sessionId = request.params['session_id'];
  const token = onlyWord(queryOf(request.url), 'token', /^[\w-]{1,200}$/);
  const isShaped = typeof sessionId === 'string' && /^[\w-]{1,200}$/.test(sessionId);
  const dialog = isShaped && token !== null ? await useCases.openSetup(sessionId, token) : null;
  if (dialog === null) showNotice(response, 404, setupUnknown);
  else sendRedirect(response, dialog);
}

async function answerCallback(
  request: Request,
  response: Response,
  { useCases }: RouteContext,
): Promise<void> {
  const query = queryOf(request.url);
  const state = onlyWord(query, 'state', /^[\w.-]{1,500}$/);
  if (state === null) return showNotice(response, 400, callbackIncomplete);
  // Upstream's codes are opaque, its error words are not shown: the use-case picks our own.
  const code = onlyWord(query, 'code', /^[\x21-\x7e]{1,4000}$/);
  const error = onlyWord(query, 'error', /^[\w.-]{1,100}$/) ?? (code === null ? 'access_denied' : null);
  const next = await useCases.finishSetup({ state, code, error });
  if (next === null) showNotice(response, 410, callbackUnknown);
  else sendRedirect(response, next);
}

/** The parameter if it is there once and looks as expected. */
function onlyWord(query: URLSearchParams, name: string, shape: RegExp): string | null {
  const [value, ...more] = query.getAll(name);
  return value !== undefined && more.length === 0 && shape.test(value) ? value : null;
}

export function showNotice(response: Response, status: number, notice: Notice): void {
  sendPage(response, status, noticePage(notice), plainPagePolicy);
}
