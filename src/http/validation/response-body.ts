import { responseObject } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** A field of a response: its schema for the contract, and the member of `From` that it shows, or a function that returns its value. */
type Cell<From> = readonly [schema: JsonSchema, value: keyof From | ((from: From) => unknown)];

/** Fields of a response by name. */
export type Cells<From> = Readonly<Record<string, Cell<From>>>;

/** A response type, described once: `schema` is shown in the contract, `of` builds the response. */
interface Answer<From> {
  readonly schema: JsonSchema;
  readonly of: (from: From) => Record<string, unknown>;
}

/** Names every field, so that a new field of an entity never leaks. [faults API3] */
export function answer<From>(title: string, cells: Cells<From>): Answer<From> {
  const fields = Object.entries(cells).map(([name, [schema, value]]) => ({ name, schema, value }));
  return {
    schema: responseObject(title, Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))),
    of: (from) => {
      const shown: Record<string, unknown> = {};
      for (const { name, value } of fields) shown[name] = read(from, value);
      return shown;
    },
  };
}

function read<From>(from: From, value: Cell<From>[1]): unknown {
  return typeof value === 'function' ? value(from) : from[value];
}

/** Cells of a part, as cells of the whole that contains it. */
export function liftCells<Part, Whole>(cells: Cells<Part>, part: (whole: Whole) => Part): Cells<Whole> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, [schema, value]]) => [
      name,
      [schema, (whole: Whole) => read(part(whole), value)],
    ]),
  );
}
