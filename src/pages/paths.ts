import { channelPath } from '../rules/portal-paths.ts';

export {
  billingPath,
  channelPath,
  channelsPath,
  confirmPath,
  connectedPath,
  endpointPath,
  endpointsPath,
  forgotPath,
  invitationPath,
  newAddressPath,
  resetPath,
  signInPath,
} from '../rules/portal-paths.ts';

/** Tabs of a channel's page beside its overview, which is at `channelPath`. */
export type ChannelTab = 'webhook' | 'send' | 'connection';

export function channelTabPath(channelId: string, tab: ChannelTab): string {
  return `${channelPath(channelId)}/${tab}`;
}

/** The page of one message. */
export function messagePath(channelId: string, messageId: string): string {
  return `${channelPath(channelId)}/messages/${encodeURIComponent(messageId)}`;
}

/** The page of one delivery. */
export function deliveryPath({ channelId, id }: { channelId: string; id: string }): string {
  return `${channelPath(channelId)}/deliveries/${id}`;
}

/** The log of one endpoint's deliveries. */
export function endpointDeliveriesPath(channelId: string, endpointId: string): string {
  return `/portal/deliveries?channel=${channelId}&endpoint=${endpointId}`;
}

export const signUpPath = '/portal/sign-up';
export const defaultWebhookPath = '/portal/default-webhook';
export const searchPath = '/portal/search';
export const messagesPath = '/portal/messages';
export const templatesPath = '/portal/templates';
export const keysPath = '/portal/keys';
export const redirectsPath = '/portal/redirects';
/** Asks for the code of the second step. */
export const signInCodePath = '/portal/sign-in/code';
/** Of the person who is signed in. */
export const ownAccountPath = '/portal/account';
export const peoplePath = '/portal/people';

/** The list of all messages between the account and a person. */
export function personPath(person: string): string {
  return `${messagesPath}?person=${encodeURIComponent(person)}`;
}

export const consolePath = '/operators';
export const enterPath = `${consolePath}/enter`;
export const leavePath = `${consolePath}/leave`;
