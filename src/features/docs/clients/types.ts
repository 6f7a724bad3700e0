/** Types of the contract: the subset of JSON Schema that it uses, read once for all languages. */
import { asList, asRecord, asText, recordsIn } from '../../../kernel/json.ts';
import type { Json } from '../../../kernel/json.ts';

export type Type =
  | { is: 'text' | 'bytes' | 'integer' | 'number' | 'flag' | 'null' | 'anything' }
  | { is: 'words'; words: readonly string[] }
  | { is: 'named'; name: string }
  | { is: 'list' | 'map'; of: Type }
  | { is: 'object'; members: readonly Member[] }
  | { is: 'one'; of: readonly Type[] };

export interface Member {
  name: string;
  type: Type;
  isRequired: boolean;
  says: string;
}

/** By the names in `components.schemas`. */
export type Types = ReadonlyMap<string, Type>;

/** Of an object, by its name or as it is. */
export function objectMembers(type: Type | null | undefined, types: Types): readonly Member[] {
  if (type?.is === 'named') return objectMembers(types.get(type.name), types);
  return type?.is === 'object' ? type.members : [];
}

const plain: Readonly<Record<string, Type>> = {
  string: { is: 'text' },
  integer: { is: 'integer' },
  number: { is: 'number' },
  boolean: { is: 'flag' },
  null: { is: 'null' },
};

export function readType(schema: Json): Type {
  const { $ref, type, items, additionalProperties } = schema;
  if (typeof $ref === 'string') return { is: 'named', name: nameIn($ref) };
  if ('const' in schema) return { is: 'words', words: [String(schema['const'])] };
  const choices = recordsIn(schema['anyOf'] ?? schema['oneOf']);
  if (choices.length > 0) return { is: 'one', of: choices.map(readType) };
  if (Array.isArray(type)) {
    return { is: 'one', of: type.map((each: unknown) => readType({ ...schema, type: each })) };
  }
  const words = asList(schema['enum']).flatMap((each) => asText(each) ?? []);
  if (type === 'string' && schema['format'] === 'binary') return { is: 'bytes' };
  if (type === 'string' && words.length > 0) return { is: 'words', words };
  if (type === 'array') return { is: 'list', of: readType(asRecord(items) ?? {}) };
  if (type !== 'object') return plain[String(type)] ?? { is: 'anything' };
  if ('properties' in schema) return { is: 'object', members: readMembers(schema) };
  return { is: 'map', of: readType(asRecord(additionalProperties) ?? {}) };
}

function readMembers(schema: Json): Member[] {
  const required = new Set(asList(schema['required']));
  return [...membersOf(schema['properties'])].map(([name, member]) => ({
    name,
    type: readType(member),
    isRequired: required.has(name),
    says: asText(member['description']) ?? '',
  }));
}

/** The names that the types lead to. */
export function reachable(roots: readonly Type[], types: Types): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (type: Type): void => {
    if (type.is === 'list' || type.is === 'map') visit(type.of);
    if (type.is === 'one') type.of.forEach(visit);
    if (type.is === 'object') type.members.forEach((member) => visit(member.type));
    if (type.is !== 'named' || found.has(type.name)) return;
    found.add(type.name);
    const target = types.get(type.name);
    if (target !== undefined) visit(target);
  };
  roots.forEach(visit);
  return found;
}

export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

export function membersOf(record: unknown): Map<string, Json> {
  return new Map(
    Object.entries(asRecord(record) ?? {}).flatMap(([name, each]) => {
      const member = asRecord(each);
      return member === null ? [] : [[name, member] as const];
    }),
  );
}
