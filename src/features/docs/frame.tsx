/** What the pages for clients have in common: they are public, within the navigation, as tabs, with their contents at the left. */
import type { ComponentChildren, VNode } from 'preact';
import { publicPage } from '../route.ts';
import type { PublicContext } from '../route.ts';
import { Tabs } from '../../pages/components.tsx';
import { answerPublic } from '../../pages/shell.tsx';

export const docsPath = '/docs';

const tabs = [
  { path: docsPath, name: 'API' },
  { path: `${docsPath}/guide`, name: 'Guide' },
  { path: `${docsPath}/contract`, name: 'Contract' },
  { path: `${docsPath}/decisions`, name: 'Decisions' },
  { path: `${docsPath}/error-codes`, name: 'Error codes' },
  { path: `${docsPath}/clients`, name: 'Clients' },
  { path: `${docsPath}/verify`, name: 'Check a signature' },
];

export interface Part {
  /** Of the element in the page. */
  id: string;
  name: string;
}

interface DocsPage {
  title: string;
  /** Its tab. */
  path: string;
  heading: ComponentChildren;
  /** In the order of the page; the viewer of the API makes its own. */
  contents: readonly Part[];
  body: ComponentChildren;
  holdsMain?: boolean;
  styles?: readonly string[];
  plainScripts?: readonly string[];
  scripts?: readonly string[];
}

/** Answers with a page for clients. */
export function answerDocs(context: PublicContext, page: DocsPage): void {
  const { path, contents, body, ...rest } = page;
  answerPublic(context, {
    ...rest,
    at: docsPath,
    isTimeless: true,
    children: (
      <>
        <Tabs label="Docs" tabs={tabs} at={path} />
        <div class="with-contents">
          <Contents parts={contents} />
          <div class="guide">{body}</div>
        </div>
      </>
    ),
  });
}

function Contents({ parts }: { parts: readonly Part[] }): VNode {
  return (
    <nav class="contents" aria-label="Contents">
      <ul>
        {parts.map(({ id, name }) => (
          <li>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A page for clients that is the same for everybody. */
export function docsRoute(get: string, name: string, makePage: (baseUrl: string) => DocsPage) {
  return publicPage({ get, name, open: (context) => answerDocs(context, makePage(context.baseUrl)) });
}
