import type { ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import { Mark } from './icon.tsx';
import { answerPage } from './page.tsx';

export interface Notice {
  title: string;
  /** What happened and what to do, one paragraph each. Only our own words: never anything from the request or upstream. */
  paragraphs: readonly string[];
  /** Link to continue. */
  way?: { path: string; word: string };
}

/** Answers with a page that contains only a notice. */
export function answerNotice(response: ServerResponse, status: number, notice: Notice): void {
  const { title } = notice;
  const body = (
    <main class="notice">
      <NoticeMark />
      <h1>{title}</h1>
      <NoticeBody notice={notice} />
    </main>
  );
  answerPage(response, status, { title, body });
}

/** Of a page that stands alone. */
export function NoticeMark(): VNode {
  return (
    <p class="brand">
      <Mark />
    </p>
  );
}

/** The notice without its title. */
export function NoticeBody({ notice: { paragraphs, way } }: { notice: Notice }): VNode {
  return (
    <>
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
    </>
  );
}
