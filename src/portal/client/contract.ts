/** The parts of `/openapi.json` that the docs page shows. */

export interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  type?: string | string[];
  items?: Schema;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
}

interface WithContent {
  content?: Record<string, { schema?: Schema }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: WithContent;
  responses: Record<string, WithContent & { description: string }>;
  security: Record<string, unknown>[];
}

export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The one content of a body or an answer, with its type. */
export function contentOf(part: WithContent | undefined): { type: string | null; schema: Schema | null } {
  const [first] = Object.entries(part?.content ?? {});
  return first === undefined
    ? { type: null, schema: null }
    : { type: first[0], schema: first[1].schema ?? null };
}

const nameOf = (ref: string): string => ref.split('/').pop() ?? ref;

/** The schema itself where only its name stands. */
export function follow(contract: Contract, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (contract.components.schemas[nameOf(schema.$ref)] ?? {});
}

export function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const base = schema.items === undefined ? type : `${type} of ${typeName(schema.items)}`;
  return schema.format === undefined ? base : `${base} (${schema.format})`;
}

/** A body to begin from: the contract's example, else what is required, or everything where that is little. */
export function exampleOf(contract: Contract, schema: Schema): unknown {
  const plain = follow(contract, schema);
  if (plain.examples !== undefined) return plain.examples[0];
  if (plain.enum !== undefined) return plain.enum[0];
  const [type] = [plain.type].flat();
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer') return 0;
  if (type !== 'object') return plain.format === 'uri' ? 'https://example.com/hook' : '';
  const fields = Object.entries(plain.properties ?? {});
  const shown = fields.filter(([name]) => plain.required?.includes(name) === true || fields.length < 5);
  return Object.fromEntries(shown.map(([name, part]) => [name, exampleOf(contract, part)]));
}
