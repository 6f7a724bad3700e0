import { responseObject } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** A field of a response: what the contract says of it, and where its value comes from. */
export type Cells<From> = Readonly<
  Record<string, readonly [schema: JsonSchema, value: (from: From) => unknown]>
>;

/** A response that is described once: `schema` is what the contract shows, `of` makes it. */
interface Answer<From> {
  readonly schema: JsonSchema;
  readonly of: (from: From) => Record<string, unknown>;
}

/** Every field by name, so that a new field of an entity never leaks. [faults API3] */
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

/** The cells of a part of what is answered. */
export function liftCells<Part, Whole>(cells: Cells<Part>, part: (whole: Whole) => Part): Cells<Whole> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, [schema, value]]) => [
      name,
      [schema, (whole: Whole) => value(part(whole))],
    ]),
  );
}
