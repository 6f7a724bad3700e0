import type { ComponentChildren, VNode } from 'preact';
import type { Role } from '../../domain/accounts/person.ts';
import { useMay } from '../reader-role.tsx';

/** Name of the field with the CSRF token, which `readForm` checks. */
export const csrfField = 'csrf';

interface FormProps {
  action: string;
  /** Token derived from the person's session: a page of another origin can't know it. */
  csrf: string;
  class?: string;
  /** The lowest role that may send the form, as in its route. */
  may?: Role;
  children: ComponentChildren;
}

/** A form that posts to one of our pages. People who may not send it see its fields disabled. */
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
