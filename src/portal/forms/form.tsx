import type { ComponentChildren, VNode } from 'preact';

/** The field that carries the token; `readForm` looks for it under this name. */
export const csrfField = 'csrf';

interface FormProps {
  action: string;
  /** Of the person's session: a page of another origin can't know it. */
  csrf: string;
  class?: string;
  children: ComponentChildren;
}

/** A form that posts to one of our pages. */
export function Form({ action, csrf, class: name, children }: FormProps): VNode {
  return (
    <form method="post" action={action} class={name}>
      <input type="hidden" name={csrfField} value={csrf} />
      {children}
    </form>
  );
}
