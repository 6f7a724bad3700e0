import type { PageContext } from '../../route.ts';
import type { ComponentChildren, VNode } from 'preact';
import { Mark } from '../../../pages/icon.tsx';
import { answerPage } from '../../../pages/page.tsx';

interface FormPage {
  title: string;
  status?: number;
  /** Links to other pages that the person may want. */
  below?: VNode;
  children: ComponentChildren;
}

/** Answers with a page that has one form, before sign-in. */
export function answerFormPage(
  { response }: PageContext,
  { title, status = 200, below, children }: FormPage,
): void {
  const body = (
    <main class="form-page">
      <p class="brand">
        <Mark />
        Trunkline
      </p>
      <h1>{title}</h1>
      {children}
      {below === undefined ? null : <div class="below">{below}</div>}
    </main>
  );
  answerPage(response, status, {
    title: `${title} · Trunkline`,
    scripts: ['page.js'],
    formTargets: ["'self'"],
    body,
  });
}
