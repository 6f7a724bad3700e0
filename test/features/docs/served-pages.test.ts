/** [operator-interface §3] What the pages for clients show is rendered: no mark of Markdown is left in them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pageRoutes } from '../../../src/features/pages.ts';
import { run } from '../../http/house.ts';
import type { Running } from '../../http/support.ts';

let service: Running;
beforeAll(async () => {
  service = await run();
});
afterAll(() => service.stop());

const paths = pageRoutes.map(({ path }) => path).filter((path) => /^\/docs(\/[a-z-]+)?$/.test(path));

/** Text of the page outside code. */
const proseOf = (html: string): string =>
  html
    .replaceAll(/<(script|pre|code|svg)\b[^]*?<\/\1>/g, '')
    .replaceAll(/<(?:"[^"]*"|[^>"])+>/g, '\n')
    .replaceAll('&#39;', "'");

test('no served page has a raw row of a table, a fence, a link or bold in marks', async () => {
  expect(paths).toEqual(expect.arrayContaining(['/docs', '/docs/guide', '/docs/contract', '/docs/clients']));
  for (const path of paths) {
    const { status, text } = await service.ask(path);
    const prose = proseOf(text);
    const raw = prose.split('\n').filter((line) => /\||`|\*\*|\]\(|^#+ /.test(line));
    expect([path, status, raw]).toEqual([path, 200, []]);
  }
});
