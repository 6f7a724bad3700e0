/** [portal: Search] One field, on every page: what the account has of what somebody types. */
import type { VNode } from 'preact';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { mayAs } from '../../../rules/person.ts';
import { Empty } from '../../../pages/list/empty.tsx';
import { answerShell, maxSearched } from '../../../pages/shell.tsx';
import { searchPath } from '../../../pages/paths.ts';
import { searchAccount } from '../service.ts';
import type { HitGroup } from '../service.ts';

async function show(context: SignedInContext): Promise<void> {
  const text = (context.query.get('q') ?? '').trim().slice(0, maxSearched);
  const groups =
    text === ''
      ? []
      : [...pagesNamed(context, text), ...(await searchAccount(context.world, context.caller, text))];
  const [only, ...others] = groups.flatMap(({ hits }) => hits);
  if (only !== undefined && others.length === 0) return sendRedirect(context.response, only.path);
  answerShell(context, {
    title: 'Search',
    at: searchPath,
    children: groups.length === 0 ? <None text={text} /> : groups.map((group) => <Group group={group} />),
  });
}

/** Those that the person sees in the navigation. */
function pagesNamed({ places, visitor, sendsMail }: SignedInContext, text: string): HitGroup[] {
  const seen = places.filter(
    ({ name, may = 'viewer', onlyWithoutMail = false }) =>
      mayAs(visitor.role, may) &&
      !(onlyWithoutMail && sendsMail) &&
      name.toLowerCase().startsWith(text.toLowerCase()),
  );
  if (seen.length === 0) return [];
  return [{ name: 'Pages', hits: seen.map(({ path, name }) => ({ path, words: name })) }];
}

function Group({ group: { name, hits, isMore = false } }: { group: HitGroup }): VNode {
  const id = name.toLowerCase().replaceAll(' ', '-');
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <ul>
        {hits.map(({ path, words }) => (
          <li>
            <a href={path}>
              <bdi>{words}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {isMore ? <p class="hint">There are more: type more of it.</p> : null}
    </section>
  );
}

function None({ text }: { text: string }): VNode {
  return (
    <Empty>
      {text === '' ? null : (
        <p>
          Nothing fits <q dir="auto">{text}</q>.
        </p>
      )}
      <p>
        Type the beginning of a person’s number or id, or any three characters of one that wrote lately; the
        name, number or handle of a channel; an id of a message, delivery, channel or request, ours or the
        platform’s; the name of a template, key or page. Texts and names of people are not stored, so they are
        not found.
      </p>
    </Empty>
  );
}

export const searchPages: FeaturePages = {
  routes: [signedInPage({ get: searchPath, name: 'searchPage', open: show })],
  samples: [searchPath, `${searchPath}?q=nobody`],
};
