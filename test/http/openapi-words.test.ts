/** [spec: Versioning 2] Sets of words in `/openapi.json`: closed in what a client gives, open in what it gets. */
import { expect, test } from '@jest/globals';
import { writeOpenApi } from '../../src/http/docs/openapi.ts';
import { asList, asRecord, recordsIn } from '../../src/kernel/json.ts';
import type { Json } from '../../src/kernel/json.ts';
import { routeTable } from '../support/routes.ts';

const document: Json = JSON.parse(
  JSON.stringify(writeOpenApi({ baseUrl: 'https://trunkline.example.com', routes: routeTable })),
);
const operations = Object.entries(asRecord(document['paths']) ?? {}).flatMap(([path, methods]) =>
  Object.values(asRecord(methods) ?? {}).map((each) => ({ path, operation: asRecord(each) ?? {} })),
);

/** Every object in a value, with the names that lead to it. */
function* objectsIn(value: unknown, at: string): Generator<[string, Json]> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${at}/${index}`);
  const object = asRecord(value);
  if (object === null) return;
  yield [at, object];
  for (const [name, item] of Object.entries(object)) yield* objectsIn(item, `${at}/${name}`);
}

test('a parameter has a type, not one of several: generators make something that cannot be set of those', () => {
  const several = operations.flatMap(({ path, operation }) =>
    recordsIn(operation['parameters']).flatMap(({ name, schema }) =>
      'anyOf' in (asRecord(schema) ?? {}) ? [`${path} ${String(name)}`] : [],
    ),
  );
  expect(several).toEqual([]);
});

test('no set of words has a null: generators make a word of it', () => {
  const withNull = [...objectsIn(document, '')].filter(([, { enum: words }]) => asList(words).includes(null));
  expect(withNull.map(([at]) => at)).toEqual([]);
});

test('no value of several types has a default: openapi-generator makes Python of it that cannot be imported, and Java that does not compile', () => {
  const withDefault = [...objectsIn(document, '')].flatMap(([at, schema]) =>
    'anyOf' in schema && [schema, ...recordsIn(schema['anyOf'])].some((each) => 'default' in each)
      ? [at]
      : [],
  );
  expect(withDefault).toEqual([]);
});

test('only requests that can have a tag list it', () => {
  const schemas = asRecord(asRecord(document['components'])?.['schemas']) ?? {};
  const tagged = Object.entries(schemas).filter(
    ([, schema]) => 'tag' in (asRecord(asRecord(schema)?.['properties']) ?? {}),
  );
  expect(tagged.map(([name]) => name).toSorted()).toEqual([
    'SendInteractiveRequest',
    'SendMediaRequest',
    'SendMessageRequest',
  ]);
});
