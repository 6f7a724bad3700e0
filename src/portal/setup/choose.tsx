import type { VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import type { RouteContext } from '../../http/options.ts';
import type { Request, Response } from '../../http/route.ts';
import { requestIdOf } from '../../http/middleware/request-id.ts';
import { queryOf } from '../../http/validation/query.ts';
import type { SetupChoice } from '../../use-cases/index.ts';
import { Form } from '../forms/form.tsx';
import { readForm } from '../forms/read-form.ts';
import { answerNotice } from '../notice.tsx';
import { answerPage } from '../page.tsx';
import { pageRoute } from '../route.ts';
import { callbackIncomplete, callbackUnknown, setupFailed } from './notices.ts';
import { onlyWord } from './only-word.ts';

const path = '/setup/choose';
const tag = 'Setup flow';
const page = (description: string) => ({ contentType: 'text/html', description });
const onward = (description: string) => ({ contentType: 'text/plain', description });
const shared = {
  path,
  tag,
  parameters: [
    { name: 'state', in: 'query', required: true, schema: { type: 'string' }, description: 'Unguessable' },
  ],
  errors: [503],
  failedAs: setupFailed,
} as const;
const otherwise = {
  400: page('No usable `state`'),
  410: page('The choice is unknown, expired or already made'),
};

/** [operator-interface §4: which asset a setup flow connects] */
export const chooseRoutes = [
  pageRoute({
    ...shared,
    method: 'get',
    name: 'openChoice',
    summary: 'Asks which of several granted assets to connect',
    answers: { 200: page('The choice'), ...otherwise },
    open: answerChoice,
  }),
  pageRoute({
    ...shared,
    method: 'post',
    name: 'finishChoice',
    summary: 'Connects what was chosen',
    // As every form.
    errors: [413, 415, 503],
    answers: { 302: onward("To the client's `redirect_uri`, as `/setup/callback`"), ...otherwise },
    open: takeChoice,
  }),
];

async function answerChoice(request: Request, response: Response, { useCases }: RouteContext): Promise<void> {
  const state = stateIn(request);
  if (state === null) return answerNotice(response, 400, callbackIncomplete);
  const choice = await useCases.openChoice(state);
  if (choice === null) return answerNotice(response, 410, callbackUnknown);
  // A browser follows the answer of a form only to where the policy allows it: the client's own address.
  const formTargets = ["'self'", new URL(choice.redirectUri).origin];
  answerPage(response, 200, {
    title: headingOf(choice),
    body: choiceBody(choice, state),
    formTargets,
  });
}

async function takeChoice(request: Request, response: Response, context: RouteContext): Promise<void> {
  const { useCases, bodyRoom } = context;
  const state = stateIn(request);
  if (state === null) return answerNotice(response, 400, callbackIncomplete);
  // The state is known to this person's browser alone: it is what a form of another origin can't have.
  const form = await readForm({ request, csrf: state, bodyRoom });
  const identity = form.text('decline') === '' ? form.text('asset') : null;
  const isShaped = identity === null || /^[\w-]{1,200}$/.test(identity);
  const next = isShaped
    ? await useCases.finishChoice({ state, identity, requestId: requestIdOf(request) })
    : null;
  if (next === null) answerNotice(response, 410, callbackUnknown);
  else sendRedirect(response, next);
}

function stateIn(request: Request): string | null {
  return onlyWord(queryOf(request.url), 'state', /^[\w.-]{1,500}$/);
}

const headingOf = ({ noun }: SetupChoice): string => `Which ${noun} do you want to connect?`;

/** Works without scripts. [portal: Setup] */
function choiceBody(choice: SetupChoice, state: string): VNode {
  return (
    <main class="notice">
      <h1>{headingOf(choice)}</h1>
      <p>
        {choice.asker === null ? '' : `${choice.asker} asks for one. `}
        You have allowed several. One is connected now; the others stay as they are.
      </p>
      <Form action={`${path}?state=${encodeURIComponent(state)}`} csrf={state}>
        {choice.options.map(({ identity, name, handle }, index) => (
          <p>
            <label>
              <input type="radio" name="asset" value={identity} checked={index === 0} required />{' '}
              <strong>{name ?? handle ?? identity}</strong> {handle !== null && name !== null ? handle : ''}{' '}
              <small>{identity}</small>
            </label>
          </p>
        ))}
        <p>
          <button type="submit">Connect</button>{' '}
          <button type="submit" class="quiet" name="decline" value="1">
            Connect none
          </button>
        </p>
      </Form>
    </main>
  );
}
