import { responseObject } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** Fields of a response, each with its schema for the contract and a function that returns its value. */
export type Cells<From> = Readonly<
  Record<string, readonly [schema: JsonSchema, value: (from: From) => unknown]>
>;

/** A response type, described once: `schema` is shown in the contract, `of` builds the response. */
interface Answer<From> {
  readonly schema: JsonSchema;
  readonly of: (from: From) => Record<string, unknown>;
}

/** Names every field, so that a new field of an entity never leaks. [faults API3] */
export function answer<From>(title: string, cells: Cells<From>): Answer<From> {
  const named = Object.entries(cells);
  const schema = responseObject(title, Object.fromEntries(named.map(([name, [each]]) => [name, each])));
  return {
    schema,
    of: (from) => {
      const shown: Record<string, unknown> = {};
      for (const [name, [, value]] of named) shown[name] = value(from);
      return shown;
    },
  };
}

/** Cells of a part, as cells of the whole that contains it. */
export function liftCells<Part, Whole>(cells: Cells<Part>, part: (whole: Whole) => Part): Cells<Whole> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, [schema, value]]) => [
      name,
      [schema, (whole: Whole) => value(part(whole))],
    ]),
  );
}
