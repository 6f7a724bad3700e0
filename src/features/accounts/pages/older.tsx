/** Target of a password reset by mail when the account has keys: somebody who knew the old password may have made them. [faults: 134] */
import { listKeysUntil, removeKeysUntil } from '../keys.ts';
import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { showKey, showKeyName } from '../../../rules/api-key.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { Whole } from '../../../pages/components.tsx';
import { Maybe, When } from '../../../pages/time.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { keysPath } from '../../../pages/paths.ts';

export const olderKeysPath = '/portal/keys/older';

/** A time in ms, as our own page and link write it; 0 for anything else, which matches no key. */
function timeIn(text: string | null): number {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

async function show(context: SignedInContext): Promise<void> {
  const until = timeIn(context.query.get('until'));
  const keys = await listKeysUntil(context.world, context.caller, until);
  if (keys.length === 0) return sendRedirect(context.response, keysPath);
  const now = context.clock.now();
  answerShell(context, {
    title: 'Keys made before',
    heading: 'Did you make these keys?',
    at: keysPath,
    children: (
      <>
        <p class="note" role="status">
          The new password is set. Your other sessions have ended.
        </p>
        <p>
          These keys were made before and still work: a new password does not revoke them. If somebody else
          knew the old password, revoke them.
        </p>
        <Rows
          heads={['Name', 'Key', 'Made', 'Last used']}
          rows={keys.map((key) => [
            showKeyName(key),
            <code>
              <Whole text={showKey(key)} />
            </code>,
            <When at={key.createdAt} now={now} />,
            <Maybe at={key.lastUsedAt} now={now} />,
          ])}
        />
        <Form action={olderKeysPath} csrf={context.csrf} class="buttons">
          <input type="hidden" name="until" value={until} />
          <button class="danger">Revoke all of them</button>
          <a class="button quiet" href="/portal">
            Keep them
          </a>
        </Form>
      </>
    ),
  });
}

async function revoke(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  await removeKeysUntil(context.world, context.caller, timeIn(form.text('until')));
  sendRedirect(context.response, `${keysPath}?revoked`);
}

export const olderKeysPages = [
  signedInPage({ get: olderKeysPath, may: 'developer', name: 'olderKeysPage', open: show }),
  signedInPage({ post: olderKeysPath, may: 'developer', name: 'revokeOlderKeys', open: revoke }),
];
