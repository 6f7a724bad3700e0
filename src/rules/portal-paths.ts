import type { Role } from './person.ts';

/** Pages of the portal that mails and redirects lead to. The portal's other paths are its own. */
export const signInPath = '/portal/sign-in';
export const forgotPath = '/portal/forgot';
export const resetPath = '/portal/reset';
export const confirmPath = '/portal/confirm';
/** Of the link that is mailed to a person's new address. */
export const newAddressPath = '/portal/new-address';
export const invitationPath = '/portal/invitation';
/** Where the portal's own setup flows end. */
export const connectedPath = '/portal/connected';
export const billingPath = '/portal/billing';
export const channelsPath = '/portal/channels';

/** The page of one channel; of `{channel_id}` in a route. */
export function channelPath(id: string): string {
  return `${channelsPath}/${id}`;
}

/** The list of a channel's further endpoints. */
export function endpointsPath(channelId: string): string {
  return `${channelPath(channelId)}/endpoints`;
}

export function endpointPath(channelId: string, endpointId: string): string {
  return `${endpointsPath(channelId)}/${endpointId}`;
}

/** An entry of the portal's navigation. */
export interface Place {
  path: string;
  name: string;
  /** Its part of the navigation; default: above all parts. */
  group?: 'Monitor' | 'Build' | 'Account' | 'Service';
  /** Name of an icon of `src/pages/icon.tsx`. */
  icon?: string;
  /** The lowest role that sees it; default: every one. */
  may?: Role;
  /** Only without a mail server; else people read mails in their mailbox. */
  onlyWithoutMail?: true;
}
