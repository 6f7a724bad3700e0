/** The people of an account, on its page in the console. */
import type { VNode } from 'preact';
import { Badge } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { Maybe } from '../../../pages/time.tsx';
import type { Member } from '../../people/index.ts';
import type { PageContext } from '../../route.ts';
import { accountPath, ActionForm } from './shell.tsx';

export function People({ context, people }: { context: PageContext; people: readonly Member[] }): VNode {
  const now = context.clock.now();
  const id = idIn(context, 'account_id');
  return (
    <section aria-labelledby="people">
      <h2 id="people">People</h2>
      {people.length === 0 ? (
        <p>Nobody has signed in yet.</p>
      ) : (
        <Rows
          heads={['Address', 'Role', 'Last seen', 'Two steps', '']}
          rows={people.map((person) => [
            person.email,
            person.role,
            person.hasJoined ? (
              <Maybe at={person.lastSeenAt} now={now} />
            ) : (
              <Badge tone="idle">invited</Badge>
            ),
            person.hasSecondStep ? 'on' : 'off',
            <a class="button quiet" href={`${accountPath(id)}/people/${person.id}/role`}>
              Change<span class="unseen"> {person.email}</span>
            </a>,
          ])}
        />
      )}
      <ActionForm
        context={context}
        action={`${accountPath(id)}/reset-link`}
        word="Make a link for a new password"
      />
    </section>
  );
}
