/** Titled schemas become components of `/openapi.json`; values in a schema are left as they are. */
import { expect, test } from '@jest/globals';
import { makeHoist } from '../../src/http/docs/hoist.ts';

const section = { title: 'In the morning', 'x-of': 'a client' };
const titled = { title: 'Section', type: 'object', 'x-rule': 'text' };
const component = { title: 'Section', type: 'object' };
const reference = { $ref: '#/components/schemas/Section' };

test.each([
  ['examples', [section]],
  ['enum', [section]],
  ['default', section],
  ['const', section],
])('%s of a schema is a value, whose title names no schema', (keyword, value) => {
  const { ref, schemas } = makeHoist();
  expect(ref({ type: 'object', [keyword]: value })).toEqual({ type: 'object', [keyword]: value });
  expect(schemas).toEqual({});
});

test.each(['examples', 'enum', 'default', 'const', 'properties'])(
  'a property called %s is a schema',
  (name) => {
    const { ref, schemas } = makeHoist();
    expect(ref({ properties: { [name]: titled } })).toEqual({ properties: { [name]: reference } });
    expect(schemas).toEqual({ Section: component });
  },
);
