import type { VNode } from 'preact';
import { Field } from '../forms/field.tsx';
import type { Problems } from '../forms/problems.ts';

interface EmailProps {
  value: string;
  problems: Problems;
  /** `username` lets the browser fill in the saved password of this address. */
  autocomplete: 'username' | 'email' | 'off';
  hint?: string | undefined;
}

export function EmailField(props: EmailProps): VNode {
  return <Field name="email" label="E-mail address" type="email" {...props} />;
}
