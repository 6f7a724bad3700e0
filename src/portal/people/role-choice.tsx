import type { VNode } from 'preact';
import { roles } from '../../domain/accounts/person.ts';
import type { Role } from '../../domain/accounts/person.ts';
import { Choice } from '../forms/choice.tsx';

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
