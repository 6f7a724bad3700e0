import type { RouteContext } from '../../route.ts';
import { openChoice, finishChoice } from '../choose-asset.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import type { Request, Response } from '../../../http/route.ts';
import { readRequestId } from '../../../http/middleware/request-headers.ts';
import { parseQuery } from '../../../http/validation/query.ts';
import type { AssetName, SetupChoice } from '../types.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { answerNotice, NoticeMark } from '../../../pages/notice.tsx';
import { answerPage } from '../../../pages/page.tsx';
import { callbackIncomplete, callbackUnknown } from './notices.ts';
import { setupPage } from './setup-page.ts';

const path = '/setup/choose';
/** Answers of the setup flow in the contract. */
export const pageAnswer = (description: string) => ({ contentType: 'text/html', description });
export const redirectAnswer = (description: string) => ({ contentType: 'text/plain', description });
const shared = {
  tag: 'Setup flow',
  parameters: [
    { name: 'state', in: 'query', required: true, schema: { type: 'string' }, description: 'Unguessable' },
  ],
  errors: [429, 503],
} as const;
const otherwise = {
  400: pageAnswer('No usable `state`'),
  410: pageAnswer('The choice is unknown, expired or already made'),
};

/** [operator-interface §4: which asset a setup flow connects] */
export const chooseRoutes = [
  setupPage({
    get: path,
    name: 'openChoice',
    contract: {
      ...shared,
      summary: 'Page that asks the user which of several granted assets to connect',
      answers: { 200: pageAnswer('The page'), ...otherwise },
    },
    open: answerChoice,
  }),
  setupPage({
    post: path,
    name: 'finishChoice',
    contract: {
      ...shared,
      summary: 'Connects the asset that the user chose',
      // As for every form.
      errors: [413, 415, 429, 503],
      answers: {
        302: redirectAnswer("Redirect to the client's `redirect_uri`, as in `/setup/callback`"),
        ...otherwise,
      },
    },
    open: takeChoice,
  }),
];

async function answerChoice(request: Request, response: Response, { world }: RouteContext): Promise<void> {
  const query = parseQuery(request.url);
  const state = stateIn(query);
  if (state === null) return answerNotice(response, 400, callbackIncomplete);
  const choice = await openChoice(world, state);
  if (choice === null) return answerNotice(response, 410, callbackUnknown);
  // A browser follows a form's redirect only to allowed targets: here the client's own origin.
  const formTargets = ["'self'", new URL(choice.redirectUri).origin];
  answerPage(response, 200, {
    title: writeHeading(choice),
    body: choiceBody(choice, state, (query.get('q') ?? '').trim().slice(0, maxSearch)),
    formTargets,
  });
}

async function takeChoice(request: Request, response: Response, context: RouteContext): Promise<void> {
  const { world, bodyBudget } = context;
  const state = stateIn(parseQuery(request.url));
  if (state === null) return answerNotice(response, 400, callbackIncomplete);
  // Only this person's browser knows the state, so it serves as the form's CSRF token.
  const form = await readForm({ request, csrf: state, bodyBudget });
  const identity = form.text('decline') === '' ? form.text('asset') : null;
  const isShaped = identity === null || /^[\w-]{1,200}$/.test(identity);
  const next = isShaped
    ? await finishChoice(world, { state, identity, requestId: readRequestId(request) })
    : null;
  if (next === null) answerNotice(response, 410, callbackUnknown);
  else sendRedirect(response, next);
}

/** The `state` of the query; null if it is missing, repeated or not in our form. */
export function stateIn(query: URLSearchParams): string | null {
  return singleParam(query, 'state', /^[\w.-]{1,500}$/);
}

function writeHeading({ noun, options }: SetupChoice): string {
  if (options.length === 0) return `None of these ${noun}s can be connected`;
  return options.length === 1 ? `Connect this ${noun}?` : `Which ${noun} do you want to connect?`;
}

function explained({ asker, options }: SetupChoice): string {
  const who = asker ?? 'The application that sent you here';
  if (options.length === 0) return `${who} asks for one.`;
  const stays = 'You can connect one; the others stay as they are.';
  return options.length === 1
    ? `${who} asks for one.`
    : `${who} asks for one. You have allowed several. ${stays}`;
}

/** [upstream §2.1] */
export const keepSelected =
  'When you connect another one later, leave those that are connected selected in the dialog of the platform: what you deselect there is disconnected.';

/** Works without scripts. [portal: Setup] */
function choiceBody(choice: SetupChoice, state: string, q: string): VNode {
  const { options, leftOut, unusable } = choice;
  const shown = matching(options, q).slice(0, mostShown);
  const decline = (
    <button class="quiet" name="decline" value="1" formnovalidate>
      {options.length === 0 ? 'Go back' : 'Connect none'}
    </button>
  );
  return (
    <main class="notice">
      <NoticeMark />
      <h1 id="which">{writeHeading(choice)}</h1>
      <p>{explained(choice)}</p>
      {options.length > mostShown ? (
        <Search {...{ state, q, shown: shown.length, all: options.length }} />
      ) : null}
      <Form action={`${path}?state=${encodeURIComponent(state)}`} csrf={state}>
        <div role="radiogroup" aria-labelledby="which">
          {shown.map((option, index) => (
            <label class="card pick">
              <input type="radio" name="asset" value={option.identity} checked={index === 0} required />
              <Name of={option} />
            </label>
          ))}
        </div>
        <p class="buttons">
          {shown.length === 0 ? null : <button>Connect</button>}
          {decline}
        </p>
      </Form>
      {choice.replacesGrants ? <p>{keepSelected}</p> : null}
      {leftOut.length + unusable.length === 0 ? null : <LeftOut choice={choice} />}
    </main>
  );
}

/** A page of 5,000 assets takes 190 ms to make, during which the node does nothing else. [faults: I9, 324] */
const mostShown = 100;
const maxSearch = 100;

/** Those whose name, handle or number contains the text. */
function matching<T extends AssetName>(assets: readonly T[], q: string): readonly T[] {
  const wanted = q.toLowerCase();
  if (wanted === '') return assets;
  return assets.filter((asset) =>
    [asset.name, asset.handle, asset.identity].some((each) => each?.toLowerCase().includes(wanted)),
  );
}

function Search({ state, q, shown, all }: { state: string; q: string; shown: number; all: number }): VNode {
  return (
    <form action={path} role="search">
      <input type="hidden" name="state" value={state} />
      <label for="q">Search by name or number</label>
      <input type="search" id="q" name="q" value={q} maxLength={maxSearch} />
      <button class="quiet">Search</button>
      <p class="dim">
        {shown === 0 ? `None of the ${all} has this in its name.` : `${shown} of ${all} are shown.`}
      </p>
    </form>
  );
}

/** What distinguishes an asset from the others, without repetition. */
function Name({ of: { identity, name, handle } }: { of: AssetName }): VNode {
  const second = handle === null || handle === `@${name}` ? identity : handle;
  return (
    <span>
      <b>{name ?? handle ?? identity}</b>
      {name === null && handle === null ? null : <span class="dim">{name === null ? identity : second}</span>}
    </span>
  );
}

function LeftOut({ choice: { leftOut, unusable, asker } }: { choice: SetupChoice }): VNode {
  const reasons = {
    claimed_elsewhere: 'Taken: it is connected to another account.',
    already_active: 'It is connected already.',
    no_free_slot: `${asker ?? 'The account'} has no free slot for it.`,
  } as const;
  const more = Math.max(0, leftOut.length - mostShown) + Math.max(0, unusable.length - mostShown);
  return (
    <section aria-labelledby="left-out">
      <h2 id="left-out">Cannot be chosen</h2>
      <ul class="plain">
        {leftOut.slice(0, mostShown).map((asset) => (
          <li class="card pick">
            <Name of={asset} />
            <span>{reasons[asset.why]}</span>
          </li>
        ))}
        {unusable.slice(0, mostShown).map((asset) => (
          <li class="card pick">
            <Name of={asset} />
            <span>{`${asset.says.charAt(0).toUpperCase()}${asset.says.slice(1)}.`}</span>
          </li>
        ))}
        {more > 0 ? <li>{`… and ${more} more`}</li> : null}
      </ul>
    </section>
  );
}

/** The parameter's value if it is present once and matches `shape`; else null. */
export function singleParam(query: URLSearchParams, name: string, shape: RegExp): string | null {
  const [value, ...more] = query.getAll(name);
  return value !== undefined && more.length === 0 && shape.test(value) ? value : null;
}
