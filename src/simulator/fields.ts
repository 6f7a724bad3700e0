import { GraphError } from './graph-error.ts';
import { nodeTypes, type NodeType } from './node-types.ts';

/** A node with all fields that it can show. */
type Shown = Readonly<Record<string, unknown>>;

/** Names in `fields=`, each with its own selection: `a,b{c,d}`. */
type Wanted = Map<string, Wanted>;

/** A field's value that is another node: shown by its id only, unless its fields are selected as `edge{c,d}` [upstream protocol 9.1]. */
export class Reference {
  readonly node: Shown;
  readonly type: NodeType;
  readonly unasked: Wanted;

  constructor(node: Shown, type: NodeType = nodeTypes.photo, unasked: readonly string[] = ['id']) {
    this.node = node;
    this.type = type;
    this.unasked = wantedOf(unasked);
  }
}

/**
 * Returns the selected fields and always the id; without `fields` the defaults [upstream protocol 1.1]. Nested selections apply to objects,
 * lists and `{data:[…]}` edges. Fields without a value are left out; a name that the node type does not have is refused (100).
 */
export function pick(node: Shown, fields: string | undefined, type: NodeType): Record<string, unknown> {
  const isAsked = fields !== undefined && fields !== '';
  const wanted = isAsked ? parse(fields) : wantedOf(type.defaults);
  return pickWanted(node, wanted, type);
}

function wantedOf(names: readonly string[]): Wanted {
  return new Map(names.map((name) => [name, new Map()]));
}

function pickWanted(node: Shown, wanted: Wanted, type: NodeType): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, nested] of wanted) {
    if (!type.known.has(name)) throw unknownField(name, type);
    const value = node[name];
    if (value !== undefined) picked[name] = pickInside(value, nested);
  }
  return 'id' in node ? { ...picked, id: node.id } : picked;
}

function unknownField(name: string, type: NodeType): GraphError {
  return new GraphError({
    code: 100,
    message: `(#100) Tried accessing nonexisting field (${name}) on node type (${type.name})`,
  });
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
      // `edge.limit(5){…}` is treated like `edge{…}`.
      level.set(word.replace(/\..*$/, ''), last);
    }
  }
  return stack[0] ?? new Map();
}

function pickInside(value: unknown, wanted: Wanted): unknown {
  if (value instanceof Reference)
    return pickWanted(value.node, wanted.size > 0 ? wanted : value.unasked, value.type);
  if (Array.isArray(value)) return value.map((item) => pickInside(item, wanted));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map(Object.entries(value));
  if (members.has('data')) return { ...value, data: pickInside(members.get('data'), wanted) };
  if (wanted.size === 0) return value;
  const names = new Set([...wanted.keys(), 'id']);
  return Object.fromEntries(
    [...members]
      .filter(([name]) => names.has(name))
      .map(([name, item]) => [name, pickInside(item, wanted.get(name) ?? new Map())]),
  );
}
