/** What an API key may do. A key has some scopes; a route needs one. */
export const scopes = [
  'messages:send',
  'messages:read',
  'channels:write',
  'templates:write',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

/** Scopes of which a route needs one; the first is the narrowest that fits its work, so refusals name it. */
export type NeededScopes = readonly [Scope, ...Scope[]];

/** What each scope allows, for people who make a key. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  'messages:send': 'send messages',
  'messages:read':
    'read messages, deliveries, files, profiles and the live feed; list channels and templates',
  'channels:write':
    'connect channels, change their settings, retry and replay their deliveries; list channels',
  'templates:write': 'create, change and delete templates; list templates',
  admin: 'everything, also redirects and the log of requests',
};

const bitOf = (scope: Scope): number => 1 << scopes.indexOf(scope);
const allBits = (1 << scopes.length) - 1;

/** Every scope as bits, so that a check costs one operation. `admin` includes all others. null: a key from before scopes. */
export function grantedBits(given: readonly Scope[] | null): number {
  if (given === null || given.includes('admin')) return allBits;
  return given.reduce((bits, scope) => (scopes.includes(scope) ? bits | bitOf(scope) : bits), 0);
}

/** A key may do what needs these scopes if it shares a bit with them. */
export function neededBits(needed: readonly Scope[]): number {
  return [...needed, 'admin' as const].reduce((bits, scope) => bits | bitOf(scope), 0);
}

/** In the order of `scopes`, each once; those that another one includes are left out. */
export function tidyScopes(given: readonly Scope[]): Scope[] {
  return given.includes('admin') ? ['admin'] : scopes.filter((scope) => given.includes(scope));
}
