import type { ServerResponse } from 'node:http';
import { answerPage } from './page.tsx';

export interface Notice {
  title: string;
  /** What happened and what to do, one paragraph each. Our own words: never anything from the request or upstream. */
  paragraphs: readonly string[];
  /** Where to go on. */
  way?: { path: string; word: string };
}

/** A page that only says something. */
export function answerNotice(
  response: ServerResponse,
  status: number,
  { title, paragraphs, way }: Notice,
  requestId?: string,
): void {
  const body = (
    <main class="notice">
      <h1>{title}</h1>
      {paragraphs.map((paragraph) => (
        <p>{paragraph}</p>
      ))}
      {way === undefined ? null : (
        <p>
          <a class="button" href={way.path}>
            {way.word}
          </a>
        </p>
      )}
    </main>
  );
  answerPage(response, status, { title, body, styles: ['portal.css'] }, requestId);
}
