/** [faults 67-71; spec: Errors; operator-interface §4] Invalid bodies: each gets the right error, and nothing is stored. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallOptions } from '../support/api.ts';
import { Attack, routesWithBody } from '../support/hostile.ts';
import type { RouteWithBody } from '../support/hostile.ts';
import { sharedWorld } from '../support/shared-world.ts';

const world = sharedWorld();
let attack: Attack;
let before: unknown;
beforeAll(async () => {
  attack = await Attack.on(world);
  before = await attack.everything();
});

const operations = routesWithBody.map(
  (route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const,
);
const jsonInvalid = [{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }];
const valueError = (problem: string) => [
  { loc: ['body'], msg: `Value error, ${problem}`, type: 'value_error' },
];
const reserved = (key: string) => valueError(`a key with the reserved name ${key} is not accepted`);
const noObject = [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }];

const bodies: [name: string, status: number, detail: unknown, options: CallOptions][] = [
  ['half an object', 422, jsonInvalid, { raw: '{"code":' }],
  ['a trailing comma', 422, jsonInvalid, { raw: '{"code":"x",}' }],
  ['single quotes', 422, jsonInvalid, { raw: "{'code':'x'}" }],
  ['NaN', 422, jsonInvalid, { raw: '{"code":NaN}' }],
  ['two documents', 422, jsonInvalid, { raw: '{}{}' }],
  ['two byte order marks', 422, jsonInvalid, { raw: '\ufeff\ufeff{}' }],
  ['bytes that are no UTF-8', 422, jsonInvalid, { raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }],
  ['UTF-16', 422, jsonInvalid, { raw: Buffer.from('{"code":"x"}', 'utf16le') }],
  ['a line break in a string', 422, jsonInvalid, { raw: '{"code":"a\nb"}' }],
  ['__proto__', 422, reserved('__proto__'), { raw: '{"__proto__":{"is_active":true}}' }],
  ['__proto__, spelt otherwise', 422, reserved('__proto__'), { raw: '{"\\u005f\\u005fproto__":1}' }],
  [
    'constructor.prototype',
    422,
    reserved('constructor'),
    { raw: '{"x":[{"constructor":{"prototype":{}}}]}' },
  ],
  ['a list', 422, noObject, { raw: '[]' }],
  ['a text', 422, noObject, { raw: '"x"' }],
  ['a number', 422, noObject, { raw: '1e400' }],
  ['null', 422, noObject, { raw: 'null' }],
  [
    'gzip',
    415,
    'Content-Encoding must be identity',
    { raw: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } },
  ],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'json',
    ',',
  ].map((type): [string, number, unknown, CallOptions] => [
    `the type ${type}`,
    415,
    'Content-Type must be application/json in UTF-8',
    { raw: '{}', headers: { 'content-type': type } },
  ]),
];

describe('a body that is not a plain JSON object', () => {
  test.each(operations)('%s', async (_name, route) => {
    for (const [what, status, detail, options] of bodies) {
      const answer = await attack.ask(route, options);
      expect([what, answer.status, answer.body]).toEqual([what, status, { detail }]);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });
});

/** A valid value for every field, so that the operation is refused only for the corrupted one. */
const right: Record<string, unknown> = {
  channel_id: crypto.randomUUID(),
  recipient: '4915900000777',
  text: 'hello',
  channel_type: 'chatapp',
  redirect_uri: 'https://app.example.com/',
  code: 'unknown',
  uri_pattern: 'ftp://app.example.com/',
  email: 'not an address',
  tier: 'none',
  source: 'none',
  subscription_id: crypto.randomUUID(),
};

/** Corrupted values as JSON; the last two are texts that a store could not keep unchanged. */
const spoilt = [
  '7',
  '1e400',
  '-0',
  'true',
  '{}',
  '{"$ne":null}',
  '{"$gt":""}',
  '["a"]',
  '[[]]',
  '"\\u0000"',
  '"\\ud800"',
];

interface Field {
  route: RouteWithBody;
  name: string;
  takesNull: boolean;
}

const textFields: Field[] = routesWithBody.flatMap((route) => {
  const properties = route.bodySchema?.['properties'] ?? {};
  return Object.entries(properties).flatMap(([name, schema]: [string, { type?: unknown }]) => {
    const types = [schema.type].flat();
    return types.includes('string') ? [{ route, name, takesNull: types.includes('null') }] : [];
  });
});

describe('a value of a wrong type, an operator object, NUL or half a surrogate pair in a text field is 422 for that field', () => {
  test.each(textFields.map((field) => [field.route.name, field.name, field] as const))(
    '%s %s',
    async (_operation, name, { route, takesNull }) => {
      for (const value of takesNull ? spoilt : [...spoilt, 'null']) {
        const others = Object.entries(right).filter(([other]) => other !== name);
        const rest = others.map(([other, item]) => `${JSON.stringify(other)}:${JSON.stringify(item)}`);
        const answer = await attack.ask(route, {
          raw: `{${[...rest, `${JSON.stringify(name)}:${value}`].join(',')}}`,
        });
        const places = (answer.body?.detail ?? []).map(({ loc }: { loc: unknown[] }) => loc.slice(0, 2));
        expect([value, answer.status, places]).toEqual([
          value,
          422,
          expect.arrayContaining([['body', name]]),
        ]);
      }
    },
  );

  test('the test covers more than 12 text fields', () => {
    expect(textFields.length).toBeGreaterThan(12);
  });
});

test('after all these requests, nothing is stored and nothing was sent', async () => {
  expect(await attack.everything()).toEqual(before);
});

test('the service still serves', async () => {
  expect((await world.send(attack.channel, 'still here')).body).toEqual({
    success: true,
    message_id: expect.any(String),
    error: null,
    status: 'sent',
  });
});
