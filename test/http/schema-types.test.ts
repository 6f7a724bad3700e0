/** What the compiler knows of a body and of an answer, so that no type is written beside a schema. The types are checked when the tests are compiled. */
import { expect, test } from '@jest/globals';
import { noNetworks } from '../../src/rules/address.ts';
import {
  count,
  flag,
  givenList,
  oneOfWords,
  orNull,
  requestObject,
  string,
  text,
} from '../../src/http/validation/json-schema.ts';
import { requestBody } from '../../src/http/validation/request-body.ts';
import type { BodyOf } from '../../src/http/validation/request-body.ts';
import { answer } from '../../src/http/validation/response-body.ts';
import type { Cells } from '../../src/http/validation/response-body.ts';
import { makeAjv } from '../../src/http/validation/rules.ts';

// How TypeScript compares two types: whether one stands for the other in a type that is not yet known.
// oxlint-disable typescript/no-unnecessary-type-parameters
type Same<A, B> =
  (<T>() => T extends A ? true : false) extends <T>() => T extends B ? true : false ? true : false;
// oxlint-enable typescript/no-unnecessary-type-parameters

const body = requestBody(
  requestObject(
    'Order',
    {
      name: { ...text({ maxLength: 5 }), description: 'Of the order' },
      size: oneOfWords(['small', 'large']),
    },
    { paid: flag, note: orNull(text()), lines: givenList(requestObject('Line', { items: count })) },
  ),
);

type Body = BodyOf<typeof body>;

test('the type of a body follows from its schema, which tells absent from null', () => {
  const name: Same<Body['name'], string> = true;
  const size: Same<Body['size'], 'small' | 'large'> = true;
  const paid: Same<Body['paid'], boolean | undefined> = true;
  const note: Same<Body['note'], string | null | undefined> = true;
  const lines: Same<NonNullable<Body['lines']>[number]['items'], number> = true;
  // Would not compile if an optional field had to be there.
  const least: Body = { name: 'A-7', size: 'large' };
  const most: Body = { name: 'A-7', size: 'small', paid: true, note: null, lines: [{ items: 2 }] };
  const parse = body.compile(
    makeAjv({ allowInsecure: false, allowedNetworks: noNetworks, ownUrls: [], ownHosts: [] }),
  );

  expect([name, size, paid, note, lines]).toEqual([true, true, true, true, true]);
  expect(parse(least)).toEqual({ name: 'A-7', size: 'large' });
  expect(parse(most)).toEqual(most);
});

interface Redirect {
  id: string;
  uriPattern: string;
  secret: string;
}

test('a field of an answer names a member of what it shows, and only such a one', () => {
  type Named = Extract<Cells<Redirect>[string][1], string>;
  const names: Same<Named, 'id' | 'uriPattern' | 'secret'> = true;
  const redirectOut = answer<Redirect>('RedirectOut', {
    id: [string, 'id'],
    uri_pattern: [string, 'uriPattern'],
    length: [count, ({ uriPattern }) => uriPattern.length],
  });
  const shown = redirectOut.of({ id: 'r-1', uriPattern: 'https://a.example/*', secret: 'not shown' });

  expect(names).toBe(true);
  expect(JSON.stringify(shown)).toBe('{"id":"r-1","uri_pattern":"https://a.example/*","length":19}');
});
