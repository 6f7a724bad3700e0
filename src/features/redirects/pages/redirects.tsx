import { addRedirect, listRedirects, removeRedirect } from '../service.ts';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import type { VNode } from 'preact';
import { showKey, showKeyName } from '../../../rules/api-key.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Caller } from '../../../rules/caller.ts';
import { everything } from '../../../kernel/paging.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Empty, FirstStep } from '../../../pages/list/empty.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { Doing } from '../../../pages/reader-role.tsx';
import { idIn, isIdShaped } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { Tester } from './tester.tsx';
import { keysPath, redirectsPath } from '../../../pages/paths.ts';
import { KeyTabs, readKey, listKeys } from '../../accounts/index.ts';
import type { ApiKey } from '../../accounts/index.ts';
import type { Redirect } from '../entity.ts';

const path = redirectsPath;

/** Keys in a choice; in an account with more, a key is reached from the list of keys. */
const choices = { limit: 20, cursor: null };

/** The key whose patterns are shown: the named one, else the newest. */
async function findKey(context: SignedInContext, keyId: string | null): Promise<ApiKey | null> {
  if (keyId !== null) {
    if (!isIdShaped(keyId)) throw fault('not_found', { what: 'API key' });
    return readKey(context.world, context.caller, keyId);
  }
  return (await listKeys(context.world, context.caller, choices)).items[0] ?? null;
}

const makeCaller = ({ caller }: SignedInContext, key: ApiKey): Caller => ({ ...caller, apiKeyId: key.id });

async function show(
  context: SignedInContext,
  problems: Problems,
  keyId: string | null,
  typed = '',
): Promise<void> {
  const key = await findKey(context, keyId);
  const patterns =
    key === null ? [] : (await listRedirects(context.world, makeCaller(context, key), everything)).items;
  const keys = (await listKeys(context.world, context.caller, choices)).items;
  answerShell(context, {
    title: 'Redirects',
    heading: 'API keys',
    at: keysPath,
    status: problems.status,
    children: (
      <>
        <KeyTabs at={path} />
        <p>
          When your program starts a setup, it names the address to which the user returns. The address must
          match a pattern of the API key that your program uses.
        </p>
        {key === null ? (
          <NoKey />
        ) : (
          <>
            <KeyChoice keys={keys} chosen={key} />
            <Patterns context={context} keyId={key.id} patterns={patterns} />
            <Tester
              action={path}
              tested={context.query.get('url')}
              keyId={key.id}
              patterns={patterns}
              allowInsecure={context.allowInsecure}
            />
            <Doing>
              <h2>New pattern</h2>
              <Form action={`${path}?key=${key.id}`} csrf={context.csrf} class="narrow">
                <Alert problems={problems} />
                <Field
                  name="uri_pattern"
                  label="Pattern"
                  value={typed}
                  mono
                  placeholder="https://app.example.com/connected"
                  hint="https only. * matches within one part of the host name or path, a trailing /* matches any path."
                  problems={problems}
                />
                <button>Allow it</button>
              </Form>
            </Doing>
          </>
        )}
      </>
    ),
  });
}

function NoKey(): VNode {
  return (
    <FirstStep path={keysPath} word="Make a key">
      Patterns belong to an API key, and there is none yet.
    </FirstStep>
  );
}

function KeyChoice({ keys, chosen }: { keys: readonly ApiKey[]; chosen: ApiKey }): VNode {
  const all = keys.some(({ id }) => id === chosen.id) ? keys : [chosen, ...keys];
  return (
    <form method="get" action={path} class="inline">
      <label for="key">Key</label>
      <select id="key" name="key">
        {all.map((key) => (
          <option value={key.id} selected={key.id === chosen.id}>
            {showKeyName(key)} ({showKey(key)})
          </option>
        ))}
      </select>
      <button class="quiet">Show</button>
    </form>
  );
}

function Patterns({
  context,
  keyId,
  patterns,
}: {
  context: SignedInContext;
  keyId: string;
  patterns: readonly Redirect[];
}): VNode {
  if (patterns.length === 0) {
    return (
      <Empty>
        <p>No pattern yet: this key cannot start a setup. The portal’s own connect button needs none.</p>
      </Empty>
    );
  }
  const rows = patterns.map((redirect) => [
    <code>{redirect.uriPattern}</code>,
    <When at={redirect.createdAt} now={context.clock.now()} />,
    <Doing>
      <a class="button quiet" href={`${path}/${redirect.id}/remove?key=${keyId}`}>
        Remove<span class="unseen"> {redirect.uriPattern}</span>
      </a>
    </Doing>,
  ]);
  return <Rows heads={['Pattern', 'Added', '']} rows={rows} />;
}

async function add(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const keyId = context.query.get('key');
  const typed = form.text('uri_pattern');
  const key = await findKey(context, keyId);
  if (key === null) throw fault('not_found', { what: 'API key' });
  const tried = await trying(() => addRedirect(context.world, makeCaller(context, key), typed));
  if ('done' in tried) return sendRedirect(context.response, `${path}?key=${key.id}`);
  const { all, ...problems } = tried.problems;
  const fields = all === null ? problems.fields : { uri_pattern: all };
  await show(context, { ...problems, fields, all: null }, key.id, typed);
}

async function askRemove(context: SignedInContext): Promise<void> {
  const key = await findKey(context, context.query.get('key'));
  if (key === null) throw fault('not_found', { what: 'API key' });
  const { items } = await listRedirects(context.world, makeCaller(context, key), everything);
  const redirect = items.find(({ id }) => id === idIn(context, 'redirect_id'));
  if (redirect === undefined) throw fault('not_found', { what: 'Redirect' });
  answerConfirmation(context, {
    title: 'Remove a pattern',
    at: path,
    question: 'Remove this pattern?',
    children: (
      <>
        <p>
          <code>{redirect.uriPattern}</code>
        </p>
        <p>Setups that return to an address which only this pattern allows can’t start any more.</p>
      </>
    ),
    action: `${path}/${redirect.id}/remove?key=${key.id}`,
    yes: 'Remove the pattern',
    no: { path: `${path}?key=${key.id}`, word: 'Keep it' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const key = await findKey(context, context.query.get('key'));
  if (key === null) throw fault('not_found', { what: 'API key' });
  await removeRedirect(context.world, makeCaller(context, key), idIn(context, 'redirect_id'));
  sendRedirect(context.response, `${path}?key=${key.id}`);
}

/** [spec: Redirects] */
export const redirectPages: FeaturePages = {
  routes: [
    signedInPage({
      get: path,
      name: 'redirectsPage',
      open: (context) => show(context, noProblems, context.query.get('key')),
    }),
    signedInPage({ post: path, may: 'developer', name: 'allowRedirect', open: add }),
    signedInPage({ get: `${path}/{redirect_id}/remove`, name: 'dropRedirectPage', open: askRemove }),
    signedInPage({
      post: `${path}/{redirect_id}/remove`,
      may: 'developer',
      name: 'dropRedirect',
      open: remove,
    }),
  ],
  samples: [path],
};
