/** What the compiler knows of a body, so that no type is written beside a schema. The types are checked when the tests are compiled. */
import { expect, test } from '@jest/globals';
import { noNetworks } from '../../src/rules/address.ts';
import {
  count,
  flag,
  givenList,
  oneOfWords,
  orNull,
  requestObject,
  text,
} from '../../src/http/validation/json-schema.ts';
import { requestBody } from '../../src/http/validation/request-body.ts';
import type { BodyOf } from '../../src/http/validation/request-body.ts';
import { makeAjv } from '../../src/http/validation/rules.ts';

type Same<A, B> =
  (<T>() => T extends A ? true : false) extends <T>() => T extends B ? true : false ? true : false;

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
