import type { VNode } from 'preact';
import type { ApiKey } from '../../domain/accounts/account.ts';
import { showName } from '../keys/keys.tsx';
import type { SignedInContext } from '../session/pages.ts';

export async function keysMadeBy(context: SignedInContext, email: string): Promise<ApiKey[]> {
  const { items } = await context.useCases.listKeys(context.caller, { limit: null, cursor: null });
  return items.filter(({ madeBy }) => madeBy === email);
}

/** Keys belong to the account: they outlive who made them. */
export function KeysLeft({ keys }: { keys: readonly ApiKey[] }): VNode | null {
  if (keys.length === 0) return null;
  return (
    <p>
      API keys that they made work on: {keys.map((key) => `“${showName(key)}”`).join(', ')}. Whoever knows one
      can use it until it is <a href="/portal/keys">revoked</a>.
    </p>
  );
}
