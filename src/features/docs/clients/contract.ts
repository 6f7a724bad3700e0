/** What the clients need of `/openapi.json`: the operations of a key, and the types of what they take and answer. */
import { asList, asRecord, asText, recordsIn } from '../../../kernel/json.ts';
import type { Json } from '../../../kernel/json.ts';
import { membersOf, nameIn, objectMembers, reachable, readType } from './types.ts';
import type { Member, Type, Types } from './types.ts';

export interface Operation {
  name: string;
  method: string;
  path: string;
  summary: string;
  /** The summary and what follows it. */
  says: string;
  /** Of path and query. */
  parameters: readonly Member[];
  body: Type | null;
  /** Where what is not in the path is given. */
  takes: 'query' | 'body' | 'form';
  /** Of path, query and body. */
  members: readonly Member[];
  /** Whether it takes an `Idempotency-Key`. */
  isOnce: boolean;
  /** The member of its form that is a file. */
  upload: string | null;
  /** Whether it can be repeated, although it changes something. */
  isRepeatable: boolean;
  /** Null: it answers with the bytes of a file. */
  answer: Type | null;
  /** Of a list with pages: the member of the answer that has the items, and their type. */
  items: { name: string; of: Type } | null;
}

export interface ClientContract {
  operations: readonly Operation[];
  /** What operations and events refer to. */
  types: Types;
  /** The codes of refusals that are known. */
  errorCodes: readonly string[];
}

export function readContract(document: Json): ClientContract {
  const named = membersOf(asRecord(document['components'])?.['schemas']);
  const types = new Map([...named].map(([name, schema]) => [name, readType(schema)] as const));
  const operations = operationsIn(document, types);
  const roots = operations.flatMap(({ parameters, body, answer }) => [
    ...parameters.map(({ type }) => type),
    ...[body, answer].filter((type) => type !== null),
  ]);
  const used = reachable([...roots, { is: 'named', name: 'Event' }], types);
  return {
    operations,
    types: new Map([...types].filter(([name]) => used.has(name))),
    errorCodes: ['CodedError', 'ScopeError'].flatMap((name) => codesOf(named.get(name), named)),
  };
}

/** The known codes in `detail` of an error. */
function codesOf(schema: Json | undefined, named: ReadonlyMap<string, Json>): string[] {
  const detail = asRecord(asRecord(schema?.['properties'])?.['detail']);
  const target = asText(detail?.['$ref']);
  const { properties } = (target === null ? detail : named.get(nameIn(target))) ?? {};
  return asList(asRecord(asRecord(properties)?.['code'])?.['examples']).map(String);
}

function operationsIn(document: Json, types: Types): Operation[] {
  return [...membersOf(document['paths'])].flatMap(([path, methods]) =>
    [...membersOf(methods)].flatMap(([method, operation]) => {
      const isOfKeys = recordsIn(operation['security']).some((each) => 'apiKey' in each);
      return isOfKeys ? [readOperation(path, method, operation, types)] : [];
    }),
  );
}

function readOperation(path: string, method: string, operation: Json, types: Types): Operation {
  const given = recordsIn(operation['parameters']);
  const parameters = given.filter((each) => each['in'] !== 'header').map(readParameter);
  const success = [...membersOf(operation['responses'])].find(([status]) => status.startsWith('2'));
  const [json, form] = [jsonType, formType].map((type) => contentIn(operation['requestBody'], type));
  const body = json ?? form ?? null;
  const answer = contentIn(success?.[1], jsonType);
  const hasPages = given.some(({ name }) => name === 'cursor');
  const members = [...parameters, ...objectMembers(body, types)];
  return {
    name: asText(operation['operationId']) ?? '',
    method: method.toUpperCase(),
    path,
    summary: asText(operation['summary']) ?? '',
    says: [operation['summary'], operation['description']].flatMap((each) => asText(each) ?? []).join('. '),
    parameters,
    body,
    takes: json ? 'body' : form ? 'form' : 'query',
    members,
    upload: members.find(({ type }) => type.is === 'bytes')?.name ?? null,
    isRepeatable: operation[repeatable] === true,
    isOnce: given.some(({ name }) => name === 'Idempotency-Key'),
    answer,
    items: hasPages ? itemsIn(answer, types) : null,
  };
}

function readParameter(parameter: Json): Member {
  return {
    name: asText(parameter['name']) ?? '',
    type: readType(asRecord(parameter['schema']) ?? {}),
    isRequired: parameter['required'] === true,
    says: asText(parameter['description']) ?? '',
  };
}

/** The first list of the answer. */
function itemsIn(answer: Type | null, types: Types): Operation['items'] {
  const [first] = objectMembers(answer, types).flatMap(({ name, type }) =>
    type.is === 'list' ? [{ name, of: type.of }] : [],
  );
  return first ?? null;
}

/** An extension of OpenAPI. */
const repeatable = 'x-repeatable';
const jsonType = 'application/json';
const formType = 'multipart/form-data';

/** The type of a body of this content type. */
function contentIn(part: unknown, contentType: string): Type | null {
  const content = asRecord(asRecord(part)?.['content']);
  const schema = asRecord(asRecord(content?.[contentType])?.['schema']);
  return schema === null ? null : readType(schema);
}
