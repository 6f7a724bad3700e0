import type { VNode } from 'preact';
import { Field, Choice } from '../../../pages/forms/field.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { passwordLengths } from '../passwords.ts';
import { roles } from '../../../rules/person.ts';
import type { Role } from '../../../rules/person.ts';

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

const words: Readonly<Record<Role, string>> = {
  owner: 'Owner: everything, and the people',
  developer: 'Developer: everything but the people',
  viewer: 'Viewer: looks, and changes nothing',
};

export function RoleChoice({ chosen }: { chosen: Role }): VNode {
  return (
    <Choice
      name="role"
      label="Role"
      chosen={chosen}
      options={roles.map((role) => [role, words[role]] as const)}
    />
  );
}
