import { isBag, type Bag } from './bag.ts';
import { usualPermissions } from './permissions.ts';

/** A configuration of Login for Business, as the app's dashboard has it. */
export type LoginConfiguration = {
  readonly id: string;
  readonly purpose: 'signup' | 'pages';
  /** Of whom the dialog's token is: a person, or a system user of the client's business. */
  readonly token: 'system' | 'user';
  /** Life of the token in days; null: without end. */
  readonly days: number | null;
  readonly permissions: readonly string[];
};

const signupPermissions = ['whatsapp_business_management', 'whatsapp_business_messaging'];
const pagePermissions = usualPermissions.filter((name) => !/^(whatsapp_|email|public_profile)/.test(name));

/** The configurations of a new strict world: the two templates of the sign-up, and one of each kind for pages. */
export const seededConfigurations: readonly LoginConfiguration[] = [
  {
    id: 'example-signup-0001',
    purpose: 'signup',
    token: 'system',
    days: null,
    permissions: signupPermissions,
  },
  { id: 'example-signup-0060', purpose: 'signup', token: 'system', days: 60, permissions: signupPermissions },
  { id: 'example-pages-0001', purpose: 'pages', token: 'user', days: null, permissions: pagePermissions },
  { id: 'example-pages-0002', purpose: 'pages', token: 'system', days: null, permissions: pagePermissions },
];

/** True for a list of configurations, as the setting takes it. */
export function areConfigurations(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isBag(item) && isConfiguration(item));
}

function isConfiguration({ id, purpose, token, days, permissions }: Bag): boolean {
  return (
    typeof id === 'string' &&
    (purpose === 'signup' || purpose === 'pages') &&
    (token === 'system' || token === 'user') &&
    (days === null || typeof days === 'number') &&
    Array.isArray(permissions) &&
    permissions.every((name) => typeof name === 'string')
  );
}
