import type { VNode } from 'preact';
import { Field } from '../forms/field.tsx';
import type { Problems } from '../forms/problems.ts';

interface EmailProps {
  value: string;
  problems: Problems;
  /** `username`: whose password a browser may know. */
  autocomplete: 'username' | 'email' | 'off';
  hint?: string | undefined;
}

export function EmailField(props: EmailProps): VNode {
  return <Field name="email" label="E-mail address" type="email" {...props} />;
}
