import type { ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { sendPage } from '../http/answers.ts';
import { Layout } from './layout.tsx';
import { writePolicy } from './policy.ts';

export interface Page {
  title: string;
  body: VNode;
  styles?: readonly string[];
  scripts?: readonly string[];
  plainScripts?: readonly string[];
  /** Where its forms may lead; none unless given. See `PolicyOptions`. */
  formTargets?: readonly string[];
}

/** Answers a person: the page in its frame, under a policy that allows what it names and nothing else. */
export function answerPage(response: ServerResponse, status: number, page: Page, requestId?: string): void {
  const { title, body, styles = [], scripts = [], plainScripts = [], formTargets = [] } = page;
  const html = renderToString(
    <Layout title={title} styles={styles} scripts={scripts} plainScripts={plainScripts}>
      {body}
    </Layout>,
  );
  const policy = writePolicy({ hasScripts: scripts.length > 0, formTargets });
  sendPage(response, status, `<!doctype html>${html}`, policy, requestId);
}
