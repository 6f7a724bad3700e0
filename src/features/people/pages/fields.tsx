import type { VNode } from 'preact';
import { Field, Choice } from '../../../pages/forms/field.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { wasField } from '../../../pages/forms/was.ts';
import { passwordLengths } from '../passwords.ts';
import { isRole, roles } from '../../../rules/person.ts';
import type { Role } from '../../../rules/person.ts';

interface EmailProps {
  value: string;
  problems: Problems;
  /** `username` lets the browser fill in the saved password of this address. */
  autocomplete: 'username' | 'email' | 'off';
  hint?: string | undefined;
  label?: string;
}

export function EmailField({ label = 'E-mail address', ...props }: EmailProps): VNode {
  return <Field name="email" label={label} type="email" {...props} />;
}

/** The person's present password. */
export function PasswordField({ problems, hint }: Pick<EmailProps, 'problems' | 'hint'>): VNode {
  return (
    <Field
      name="password"
      label="Password"
      type="password"
      autocomplete="current-password"
      hint={hint}
      problems={problems}
    />
  );
}

const hint = `At least ${passwordLengths.min} characters. Any characters; a few words are easier to keep than a riddle.`;

/** Tells password managers whose password the form sets: without it they would save one that belongs to nobody. */
export function WhosePassword({ email }: { email: string }): VNode {
  return <input type="email" value={email} autocomplete="username" readonly hidden />;
}

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

/** The choice of a role that somebody has: it says what the page showed, so that what another has changed since is not overwritten unseen. */
export function ChangedRole({ stored, typed }: { stored: Role; typed: string }): VNode {
  return (
    <>
      <input type="hidden" name={wasField('role')} value={stored} />
      <RoleChoice chosen={isRole(typed) ? typed : stored} />
    </>
  );
}

export function changedRoleIn(form: ReadForm): { role: string; seen: Role | undefined } {
  const [was = ''] = form.all(wasField('role'));
  return { role: form.text('role'), seen: isRole(was) ? was : undefined };
}
