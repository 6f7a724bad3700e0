/** What a page offers to whom: nothing that its reader may not do. The routes refuse it all the same (`may`). */
import { createContext } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { mayAs } from '../domain/accounts/role.ts';
import type { Role } from '../domain/accounts/role.ts';

/** null: not a page of an account, where each may what they see. */
const ReaderRole = createContext<Role | null>(null);

export const RoleOfReader = ReaderRole.Provider;

export function useMay(may: Role): boolean {
  const role = useContext(ReaderRole);
  return role === null || mayAs(role, may);
}

/** Only for whom may do it. */
export function Doing({ children }: { children: ComponentChildren }): VNode | null {
  return useMay('developer') ? <>{children}</> : null;
}
