/** A node as the full set of fields it could show. */
export type Shown = Readonly<Record<string, unknown>>;

/** Names asked for with `fields=`, each with the fields asked of it: `a,b{c,d}`. */
type Wanted = Map<string, Wanted>;

/**
 * The fields asked for, the id always with them; without `fields` the defaults [upstream protocol 1.1]. Nested selections go into
 * objects, lists and `{data:[…]}` edges. Names nobody knows are left out, as are fields without a value.
 */
export function pick(
  node: Shown,
  fields: string | undefined,
  defaults: readonly string[],
): Record<string, unknown> {
  const wanted =
    fields === undefined || fields === ''
      ? new Map(defaults.map((name) => [name, new Map()]))
      : parse(fields);
  const picked: Record<string, unknown> = {};
  for (const [name, nested] of wanted) {
    const value = node[name];
    if (value !== undefined) picked[name] = nested.size > 0 ? pickInside(value, nested) : value;
  }
  return 'id' in node ? { ...picked, id: node.id } : picked;
}

function parse(fields: string): Wanted {
  const stack: Wanted[] = [new Map()];
  let last: Wanted | undefined;
  for (const [word] of fields.matchAll(/[^,{}\s]+|[{}]/g)) {
    const level = stack.at(-1) ?? new Map();
    if (word === '{') stack.push(last ?? new Map());
    else if (word === '}') stack.pop();
    else {
      last = new Map();
      // `edge.limit(5){…}` is the same edge for us.
      level.set(word.replace(/\..*$/, ''), last);
    }
  }
  return stack[0] ?? new Map();
}

function pickInside(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map((item) => pickInside(item, wanted));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map(Object.entries(value));
  if (members.has('data')) return { ...value, data: pickInside(members.get('data'), wanted) };
  const names = new Set([...wanted.keys(), 'id']);
  return Object.fromEntries(
    [...members]
      .filter(([name]) => names.has(name))
      .map(([name, item]) => {
        const nested = wanted.get(name);
        return [name, nested && nested.size > 0 ? pickInside(item, nested) : item];
      }),
  );
}

/** One page of a collection with cursors; `next` only when more follows [upstream protocol 1.1]. */
export function pageOf(
  items: readonly unknown[],
  limit: number,
  after: string | undefined,
  link: (after: string) => string,
): Record<string, unknown> {
  const start = after === undefined ? 0 : Number(Buffer.from(after, 'base64url').toString('latin1')) || 0;
  const shown = items.slice(start, start + limit);
  if (shown.length === 0) return { data: [] };
  const end = cursor(start + shown.length);
  const next = start + shown.length < items.length ? { next: link(end) } : {};
  return { data: shown, paging: { cursors: { before: cursor(start), after: end }, ...next } };
}

function cursor(place: number): string {
  return Buffer.from(String(place).padStart(6, '0'), 'latin1').toString('base64url');
}
