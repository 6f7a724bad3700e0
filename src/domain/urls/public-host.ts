import { isIP } from 'node:net';
import { isForbiddenAddress } from '../webhooks/address.ts';
import type { Networks } from '../webhooks/networks.ts';

/** Names that only resolve inside a network. [faults: API7] */
const localNames = ['localhost', 'local', 'internal', 'localdomain', 'lan', 'home.arpa'];

/**
 * Whether a host name can be somebody's on the internet; what it resolves to is not looked at. `hostname` as the URL parser
 * gives it: lower case, punycode, every spelling of an IPv4 address made dotted.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return !isForbiddenAddress(hostname.slice(1, -1));
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(name) !== 0) return !isForbiddenAddress(name);
  if (localNames.some((local) => name === local || name.endsWith(`.${local}`))) return false;
  // A single label is a name of the local network; an empty one is no name.
  return name.includes('.') && name.split('.').every((label) => label !== '');
}

/**
 * Whether a host name can be of one of these networks: an address within them, or a name, whose address is looked at when it is
 * dialled. `localhost` is this machine.
 */
export function isOnNetworks(hostname: string, networks: Networks): boolean {
  if (networks.size === 0) return false;
  if (hostname.startsWith('[')) return networks.has(hostname.slice(1, -1));
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(name) !== 0) return networks.has(name);
  if (name === 'localhost' || name.endsWith('.localhost')) return false;
  return name.split('.').every((label) => label !== '');
}
