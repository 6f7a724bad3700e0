/** How a failure looks where no route has the word: a person sees a page, a program JSON. */
import type { FailureAnswer, Route } from './route.ts';
import { answerFailure } from './middleware/error-funnel.ts';

/** The pages are known by the first part of their path, and so is what is missing beside them. */
export function failuresBeside(routes: readonly Route[]): (url: string) => FailureAnswer {
  const pages = new Map<string, FailureAnswer>();
  for (const route of routes) {
    const part = firstPart(route.path);
    if (!pages.has(part) && route.audience === 'open' && route.failures !== 'json')
      pages.set(part, route.failures);
  }
  return (url) => pages.get(firstPart(url)) ?? answerFailure;
}

function firstPart(url: string): string {
  return url.split(/[/?]/, 2)[1] ?? '';
}
