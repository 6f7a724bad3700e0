/** The contract as it was last agreed: a change of `/openapi.json` is a change of `openapi.json` beside this file, which a reader sees in the diff. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { writeOpenApi } from '../../src/http/docs/openapi.ts';
import { routeTable } from '../support/routes.ts';

const file = new URL('openapi.json', import.meta.url);

/** The order of the members counts: it is the order in which clients read them. */
test('/openapi.json has not changed; if it was meant to, WRITE_PAGES=1 rewrites the file', () => {
  const document = writeOpenApi({ baseUrl: 'https://trunkline.example.com', routes: routeTable });
  const now = `${JSON.stringify(document, null, 1)}\n`;
  if (process.env['WRITE_PAGES'] === '1') writeFileSync(file, now);
  // By line, so that a failure shows the lines that differ.
  expect(now.split('\n')).toEqual(readFileSync(file, 'utf8').split('\n'));
});
