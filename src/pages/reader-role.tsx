/** Offers people only what their role may do. The routes check it as well (`may`). */
import { createContext } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { mayAs } from '../rules/person.ts';
import type { Role } from '../rules/person.ts';

/** null: not a page of an account; everything is allowed there. */
const ReaderRole = createContext<Role | null>(null);

export const RoleOfReader = ReaderRole.Provider;

export function useMay(may: Role): boolean {
  const role = useContext(ReaderRole);
  return role === null || mayAs(role, may);
}

/** Shown only to people who may do it. */
export function Doing({ children }: { children: ComponentChildren }): VNode | null {
  return useMay('developer') ? <>{children}</> : null;
}
