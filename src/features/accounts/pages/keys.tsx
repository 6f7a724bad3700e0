import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import type { ApiKey } from '../account.ts';
import { showKey, showKeyName } from '../../../rules/api-key.ts';
import { listKeys, addKey, readKey, removeKey } from '../keys.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { Badge, Copyable, Done, Lines, Whole } from '../../../pages/components.tsx';
import { Maybe, When } from '../../../pages/time.tsx';
import { More, pageIn } from '../../../pages/list/paging.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import type { Trait } from '../../../pages/list/rows.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { Doing } from '../../../pages/reader-role.tsx';
import { redirectWithFlash, readFlash } from '../../../pages/session/flash.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { KeyTabs } from './tabs.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { channelsPath, keysPath } from '../../../pages/paths.ts';
import { NewKeyForm, readTerms } from './new-key.tsx';

const madePath = `${keysPath}/made`;

async function show(
  context: SignedInContext,
  problems = noProblems,
  typed: ReadForm | null = null,
): Promise<void> {
  const page = pageIn(context.query);
  const found = await listKeys(context.world, context.caller, page);
  const now = context.clock.now();
  answerShell(context, {
    title: 'API keys',
    at: keysPath,
    status: problems.status,
    children: (
      <>
        <KeyTabs at={keysPath} />
        <Done words={{ revoked: 'Revoked.' }} query={context.query} />
        <p>
          Your program sends its key in the header <code>X-API-Key</code>. We store only a hash of the key.
        </p>
        {found.items.length === 0 ? (
          // No box of its own: the form that ends the emptiness stays within the first screen.
          <p class="dim">
            No key yet.<Doing> Make the first one: it is shown only once.</Doing>
          </p>
        ) : (
          <Rows
            heads={['Name', 'Key', 'May', 'Made', 'By', 'Ends', 'Last used', 'Redirects', '']}
            traits={traits}
            rows={found.items.map((key) => row(key, now))}
          />
        )}
        <More path={keysPath} page={page} next={found.nextCursor} />
        <Doing>
          <h2>New key</h2>
          <NewKeyForm csrf={context.csrf} problems={problems} typed={typed} />
        </Doing>
      </>
    ),
  });
}

const traits: readonly (readonly Trait[])[] = [
  ['read-by'],
  [],
  ['p2'],
  ['p4'],
  ['p4'],
  ['p3'],
  ['p3'],
  ['p5'],
  ['end'],
];

function row(key: ApiKey, now: number): (VNode | string)[] {
  return [
    showKeyName(key),
    <code>
      <Whole text={showKey(key)} />
    </code>,
    showScopes(key),
    <When at={key.createdAt} now={now} />,
    <span class="address short" title={showMaker(key)}>
      {showMaker(key)}
    </span>,
    <KeyEnd at={key.endsAt} now={now} />,
    <LastUse of={key} now={now} />,
    <a class="nowrap" href={`/portal/redirects?key=${key.id}`}>
      Redirects<span class="unseen"> of {key.name ?? key.hint}</span>
    </a>,
    <Doing>
      <a class="button quiet" href={`${keysPath}/${key.id}/revoke`}>
        Revoke<span class="unseen"> {key.name ?? key.hint}</span>
      </a>
    </Doing>,
  ];
}

export function showScopes({ scopes }: Pick<ApiKey, 'scopes'>): string {
  return scopes === null || scopes.includes('admin') ? 'everything' : scopes.join(', ');
}

export function KeyEnd({ at, now }: { at: number | null; now: number }): VNode {
  if (at === null) return <span class="dim nowrap">never</span>;
  return at > now ? <When at={at} now={now} /> : <Badge tone="bad">ended</Badge>;
}

export function LastUse({ of: { lastUsedAt, lastUsedFrom }, now }: { of: ApiKey; now: number }): VNode {
  return (
    <>
      <Maybe at={lastUsedAt} now={now} />
      {lastUsedFrom === null ? null : (
        <>
          {' '}
          from <span class="address">{lastUsedFrom}</span>
        </>
      )}
    </>
  );
}

/** Keys made by people in earlier versions have no recorded maker. */
const showMaker = ({ name, madeBy }: ApiKey): string =>
  madeBy ?? (name === null ? 'An operator' : 'Not kept');

/** The only page that ever shows the key: the page must not be cached, and it shows the key only once. */
async function showNew(context: SignedInContext): Promise<void> {
  const apiKey = readFlash(context, madePath);
  if (apiKey === null) return showAgain(context);
  const isFirstStep = !(await hasChannel(context));
  answerShell(context, {
    title: 'Your new key',
    at: keysPath,
    children: (
      <>
        <p>
          Copy it now: <b>it is not shown again.</b> Whoever has it can send in your name.
        </p>
        <p class="secret">
          <Copyable text={apiKey} label="the key" />
        </p>
        <p>
          <a class="button" href={isFirstStep ? channelsPath : keysPath}>
            I have stored it{isFirstStep ? '. Connect a channel' : ''}
          </a>
        </p>
        <h2>Try it</h2>
        <Lines text={`curl ${context.baseUrl}/api/v1/channels -H "X-API-Key: $KEY"`} label="the call" />
      </>
    ),
  });
}

async function hasChannel({ world, caller }: SignedInContext): Promise<boolean> {
  return (await world.stores.channels.ids(caller.accountId, 1)).length > 0;
}

function showAgain(context: SignedInContext): void {
  answerShell(context, {
    title: 'Your new key',
    at: keysPath,
    children: (
      <>
        <p>
          The key was shown once and is not shown again. If you have not stored it, revoke it and make
          another.
        </p>
        <a class="button" href={keysPath}>
          All keys
        </a>
      </>
    ),
  });
}

async function make(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const tried = await trying(async () =>
    addKey(context.world, context.actor(), form.text('name'), readTerms(form)),
  );
  if ('problems' in tried) await show(context, tried.problems, form);
  else redirectWithFlash(context, madePath, tried.done.apiKey);
}

async function askRevoke(context: SignedInContext): Promise<void> {
  const key = await readKey(context.world, context.caller, idIn(context, 'key_id'));
  answerConfirmation(context, {
    title: 'Revoke a key',
    at: keysPath,
    question: `Revoke “${key.name ?? key.hint}”?`,
    children: (
      <p>
        Programs that use the key <code>{showKey(key)}</code> are refused within seconds, on every node. This
        can’t be undone. Your channels stay; the redirect patterns of the key no longer apply.
      </p>
    ),
    action: `${keysPath}/${key.id}/revoke`,
    yes: 'Revoke the key',
    no: { path: keysPath, word: 'Keep it' },
  });
}

async function revoke(context: SignedInContext): Promise<void> {
  await readForm(context);
  await removeKey(context.world, context.caller, idIn(context, 'key_id'));
  sendRedirect(context.response, `${keysPath}?revoked`);
}

/** [spec: Authentication 1, 2] */
export const keyPages: FeaturePages = {
  routes: [
    signedInPage({ get: keysPath, name: 'keysPage', open: show }),
    signedInPage({ post: keysPath, may: 'developer', name: 'addKey', open: make }),
    signedInPage({ get: madePath, name: 'newKeyPage', open: showNew }),
    signedInPage({
      get: `${keysPath}/{key_id}/revoke`,
      may: 'developer',
      name: 'revokePage',
      open: askRevoke,
    }),
    signedInPage({
      post: `${keysPath}/{key_id}/revoke`,
      may: 'developer',
      name: 'revokeOwnKey',
      open: revoke,
    }),
  ],
  place: { path: keysPath, name: 'API keys', icon: 'key', group: 'Build' },
};
