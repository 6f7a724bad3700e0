/** What a key may do. [spec: Authentication 8] */
import { expect, test } from '@jest/globals';
import { mayAs } from '../../src/rules/person.ts';
import { grantedBits, neededBits, scopeMeanings, scopes, tidyScopes } from '../../src/rules/scopes.ts';
import type { Scope } from '../../src/rules/scopes.ts';

const may = (given: readonly Scope[] | null, needed: readonly Scope[]): boolean =>
  (grantedBits(given) & neededBits(needed)) !== 0;

test.each(scopes)('a key with %s may do what needs it, and nothing else', (scope) => {
  expect(scopes.filter((needed) => may([scope], [needed]))).toEqual(scope === 'admin' ? scopes : [scope]);
  expect(may([scope], scopes)).toBe(true);
  expect(scopeMeanings[scope]).toMatch(/^[a-z].{10,}$/);
});

test('a key from before scopes may do all, one without any nothing', () => {
  expect(scopes.filter((needed) => may(null, [needed]))).toEqual(scopes);
  expect(scopes.filter((needed) => may([], [needed]))).toEqual([]);
});

test("a newer build's scope allows nothing here", () => {
  expect(scopes.filter((needed) => may(JSON.parse('["of_tomorrow"]'), [needed]))).toEqual([]);
});

test('scopes are kept in order, each once, without what admin includes', () => {
  expect(tidyScopes(['templates:write', 'messages:send', 'templates:write'])).toEqual([
    'messages:send',
    'templates:write',
  ]);
  expect(tidyScopes(['messages:send', 'admin'])).toEqual(['admin']);
  expect(tidyScopes([])).toEqual([]);
});

test.each([
  ['owner', ['owner', 'developer', 'viewer']],
  ['developer', ['developer', 'viewer']],
  ['viewer', ['viewer']],
] as const)('a person who is %s has the permissions of %j', (role, included) => {
  expect((['owner', 'developer', 'viewer'] as const).filter((needed) => mayAs(role, needed))).toEqual(
    included,
  );
});
