/** Resolves the references of the part of the contract that the viewer shows for an open call. */

interface Resolved {
  spec: unknown;
  errors: never[];
}

function at(root: unknown, path: readonly string[]): unknown {
  return path.reduce((part: unknown, key) => Object(part)[key], root);
}

function inlined(part: unknown, root: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(item, root));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: to } = Object(part);
  if (typeof to === 'string') return inlined(at(root, to.slice('#/'.length).split('/')), root);
  return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, inlined(item, root)]));
}

/**
 * Replaces the viewer's own resolver, which processes the whole contract for every call that is opened, taking a second. Our contract has
 * only references to its own named schemas, none recursive.
 */
export function resolveSubtree(root: unknown, path: readonly string[]): Promise<Resolved> {
  return Promise.resolve({ spec: inlined(at(root, path), root) ?? null, errors: [] });
}
