/** Roles of people, strongest first: each role includes the permissions of the later ones. [operator-interface §4, people of an account] */
export const roles = ['owner', 'developer', 'viewer'] as const;

export type Role = (typeof roles)[number];

export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}
