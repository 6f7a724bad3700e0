import type { ComponentChildren, VNode } from 'preact';
import type { Role } from '../../domain/accounts/role.ts';
import { useMay } from '../reader-role.tsx';

/** The field that carries the token; `readForm` looks for it under this name. */
export const csrfField = 'csrf';

interface FormProps {
  action: string;
  /** Of the person's session: a page of another origin can't know it. */
  csrf: string;
  class?: string;
  /** The least role that may send it, as its route says. */
  may?: Role;
  children: ComponentChildren;
}

/** A form that posts to one of our pages; who may not send it sees what it holds. */
export function Form({ action, csrf, class: name, may = 'developer', children }: FormProps): VNode {
  if (!useMay(may))
    return (
      <fieldset disabled class={`seen ${name ?? ''}`}>
        {children}
      </fieldset>
    );
  return (
    <form method="post" action={action} class={name}>
      <input type="hidden" name={csrfField} value={csrf} />
      {children}
    </form>
  );
}
