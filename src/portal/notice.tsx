import type { ServerResponse } from 'node:http';
import { answerPage } from './page.tsx';

export interface Notice {
  title: string;
  /** What happened and what to do, one paragraph each. Our own words: never anything from the request or upstream. */
  paragraphs: readonly string[];
}

/** A page that only says something. */
export function answerNotice(
  response: ServerResponse,
  status: number,
  { title, paragraphs }: Notice,
  requestId?: string,
): void {
  const body = (
    <main class="notice">
      <h1>{title}</h1>
      {paragraphs.map((paragraph) => (
        <p>{paragraph}</p>
      ))}
    </main>
  );
  answerPage(response, status, { title, body }, requestId);
}
