import type { VNode } from 'preact';
import { passwordLengths } from '../../use-cases/people/passwords.ts';
import { Field } from '../forms/field.tsx';
import type { Problems } from '../forms/problems.ts';

const hint = `At least ${passwordLengths.min} characters. Any characters; a few words are easier to keep than a riddle.`;

/** The field for a new password. */
export function ChosenPassword({ label, problems }: { label: string; problems: Problems }): VNode {
  return (
    <Field
      name="password"
      label={label}
      type="password"
      autocomplete="new-password"
      hint={hint}
      problems={problems}
    />
  );
}
