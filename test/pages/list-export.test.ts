/** [faults: 416] An export ends after a hundred thousand items, and its file says that the list goes on. */
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { FileSlots, ofExports } from '../../src/http/middleware/file-slots.ts';
import { cutLine, exportList } from '../../src/pages/list/export.tsx';
import { csvLine } from '../../src/pages/list/csv.ts';
import { closeAfterEach } from '../support/closing.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listening } from '../support/ports.ts';

const closeLater = closeAfterEach();
const more = { createdAt: 1, id: 'more' };

/** The lines of the file of a list without end that has so many items in each page, and the number of its reads. */
async function exported(perPage: number): Promise<{ lines: string[]; reads: number }> {
  let reads = 0;
  const server = createServer((request, response) => {
    const context = { request, response, exportSlots: new FileSlots(ofExports), clock: new FakeClock() };
    void exportList<string>(context, 'a', {
      name: 'things',
      format: { extension: 'csv', head: 'thing\n', line: (item) => `${item}\n` },
      began: () => Promise.resolve(),
      async read() {
        reads += 1;
        return { items: Array.from({ length: perPage }, () => 'x'), nextCursor: more };
      },
      cutWith: cutLine,
    });
  });
  closeLater(() => {
    server.closeAllConnections();
    server.close();
  });
  const answer = await fetch(`http://127.0.0.1:${await listening(server)}/`);
  return { lines: (await answer.text()).trim().split('\n'), reads };
}

test.each([
  ['many items', 700, 100_000, 143],
  ['pages without items', 0, 0, 1_000],
])('%s: the last line says so', async (_words, perPage, items, reads) => {
  const { lines, reads: made } = await exported(perPage);
  expect([lines.length, made]).toEqual([items + 2, reads]);
  expect(lines.at(-1)).toBe(
    `"Not all: the list goes on behind these ${items.toLocaleString('en')}. Filter by time for the others."`,
  );
});

test.each(['=1', '+1', '-1', '@a', '\t=1'])('%j is text to a spreadsheet', (text) => {
  expect(csvLine([text, 'a'])).toBe(`'${text},a\n`);
});
