import { Fault } from '../../kernel/faults.ts';
import { PermissionsDeclined } from '../connecting-calls.ts';
import { asList, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';
import type { Graph } from '../graph.ts';
import { scopesOf } from '../tokens.ts';

/**
 * Names of the granted permissions: a person may decline single ones in the dialog. The token of a login configuration may have no list of
 * its own; then what upstream knows of the token says them. Throws Fault `upstream_failed` if neither says anything. [upstream §2.1]
 */
export async function grantedPermissions(graph: Graph, token: string, known: Json): Promise<Set<string>> {
  const ofToken = new Set(scopesOf(known).map(({ name }) => name));
  try {
    const { data } = await graph.call({ path: '/me/permissions', query: { limit: '100' }, token });
    const items = asList(data).map(asRecord);
    if (items.length === 0) return ofToken;
    return new Set(
      items.flatMap((one) => (one?.['status'] === 'granted' ? (asText(one['permission']) ?? []) : [])),
    );
  } catch (thrown) {
    if (!(thrown instanceof Fault) || ofToken.size === 0) throw thrown;
    return ofToken;
  }
}

/** Throws PermissionsDeclined if one is missing. */
export function requirePermissions(granted: ReadonlySet<string>, required: readonly string[]): void {
  const missing = required.filter((permission) => !granted.has(permission));
  if (missing.length > 0) throw new PermissionsDeclined(missing);
}

/** The permission that the token has, but not for this page; null: none. A scope without targets holds for every page. */
export function missingFor(pageId: string, known: Json, required: readonly string[]): string | null {
  const scopes = scopesOf(known);
  const isMissing = (permission: string): boolean => {
    const targets = scopes.filter(({ name }) => name === permission).flatMap((scope) => scope.targets);
    return targets.length > 0 && !targets.includes(pageId);
  };
  return required.find((permission) => permission.startsWith('pages_') && isMissing(permission)) ?? null;
}
