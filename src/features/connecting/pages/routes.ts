import type { RouteContext } from '../../route.ts';
import { openSetup, finishSetup } from '../setup-dialog.ts';
import type { Request, Response } from '../../../http/route.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readRequestId } from '../../../http/middleware/request-headers.ts';
import { parseQuery } from '../../../http/validation/query.ts';
import { answerNotice } from '../../../pages/notice.tsx';
import { chooseRoutes, pageAnswer, redirectAnswer, singleParam, stateIn } from './choose.tsx';
import { callbackIncomplete, callbackUnknown, dialogRefused, setupUnknown } from './notices.ts';
import { setupPage } from './setup-page.ts';

const tag = 'Setup flow';

/**
 * Target of the dialog's redirect. Must precede `/setup/{session_id}`, which would match it. [operator-interface §3]
 */
const callbackRoute = setupPage({
  get: '/setup/callback',
  name: 'finishSetup',
  contract: {
    tag,
    summary: 'Target of the redirect at the end of the upstream dialog',
    parameters: ['state', 'code', 'error', 'error_code', 'phone_number_id'].map((name) => ({
      name,
      in: 'query',
      required: name === 'state',
      schema: { type: 'string' },
      description: 'Set by the upstream dialog',
    })),
    errors: [429, 503],
    answers: {
      302: redirectAnswer(
        "Redirect to the client's `redirect_uri` with `code`, or with `error` and `error_description`; or to the page that asks which asset to connect",
      ),
      400: pageAnswer('No usable `state`'),
      410: pageAnswer('The setup is unknown, expired or already completed'),
    },
  },
  open: answerCallback,
});

/** [operator-interface §3] */
const setupRoute = setupPage({
  get: '/setup/{session_id}',
  name: 'openSetup',
  contract: {
    tag,
    summary: 'Target of setup_url: starts the upstream dialog',
    parameters: [
      {
        name: 'token',
        in: 'query',
        required: true,
        schema: { type: 'string' },
        description: 'Unguessable token, part of `setup_url`',
      },
    ],
    errors: [429, 503],
    answers: {
      302: redirectAnswer('Redirect to the upstream dialog'),
      404: pageAnswer('The link is unknown, expired or already used'),
    },
  },
  open: answerSetup,
});

/** In matching order. */
export const setupRoutes = [callbackRoute, ...chooseRoutes, setupRoute];

async function answerSetup(request: Request, response: Response, { world }: RouteContext): Promise<void> {
  const sessionId = request.params['session_id'];
  const token = singleParam(parseQuery(request.url), 'token', /^[\w-]{1,200}$/);
  const isShaped = typeof sessionId === 'string' && /^[\w-]{1,200}$/.test(sessionId);
  const dialog = isShaped && token !== null ? await openSetup(world, sessionId, token) : null;
  if (dialog === null) answerNotice(response, 404, setupUnknown);
  else sendRedirect(response, dialog);
}

async function answerCallback(request: Request, response: Response, { world }: RouteContext): Promise<void> {
  const query = parseQuery(request.url);
  const errorCode = refusalIn(query);
  if (errorCode !== null) world.dialogRefused(errorCode);
  const state = stateIn(query);
  if (state === null)
    return answerNotice(response, 400, errorCode === null ? callbackIncomplete : dialogRefused);
  // Upstream's codes are opaque, and its error texts are not shown: `setup-session.ts` chooses our own.
  const code = singleParam(query, 'code', /^[\x21-\x7e]{1,4000}$/);
  const error = singleParam(query, 'error', /^[\w.-]{1,100}$/);
  const numberId = singleParam(query, 'phone_number_id', /^[0-9]{1,64}$/);
  const next = await finishSetup(world, {
    state,
    code,
    error,
    errorCode,
    numberId,
    requestId: readRequestId(request),
  });
  if (next === null) answerNotice(response, 410, callbackUnknown);
  else sendRedirect(response, next);
}

/**
 * The number of a dialog that refused to open, mostly because of how the app is set up; then there may be no `state` either. A person who
 * declines has an `error`. [upstream §2.1 step 2]
 */
function refusalIn(query: URLSearchParams): number | null {
  if (query.has('error') || query.has('code')) return null;
  const number = singleParam(query, 'error_code', /^[0-9]{1,10}$/);
  return number === null ? null : Number(number);
}
