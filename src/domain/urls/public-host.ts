import { isIP } from 'node:net';
import { isForbiddenAddress } from '../webhooks/address.ts';
import type { Networks } from '../webhooks/networks.ts';

/** Names that only resolve inside a network. [faults: API7] */
const localNames = ['localhost', 'local', 'internal', 'localdomain', 'lan', 'home.arpa'];

/**
 * Whether a host name can be on the public internet; does not resolve it. `hostname` in the URL parser's
 * form: lower case, punycode, every notation of an IPv4 address converted to dotted.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return !isForbiddenAddress(hostname.slice(1, -1));
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(name) !== 0) return !isForbiddenAddress(name);
  if (localNames.some((local) => name === local || name.endsWith(`.${local}`))) return false;
  // A single label is a name of the local network; an empty label is invalid.
  return name.includes('.') && name.split('.').every((label) => label !== '');
}

/**
 * Whether a host can be in one of these networks: an address within them, or any name, whose address is checked on
 * connecting. `localhost` never is, because it is this machine.
 */
export function isOnNetworks(hostname: string, networks: Networks): boolean {
  if (networks.size === 0) return false;
  if (hostname.startsWith('[')) return networks.has(hostname.slice(1, -1));
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(name) !== 0) return networks.has(name);
  if (name === 'localhost' || name.endsWith('.localhost')) return false;
  return name.split('.').every((label) => label !== '');
}
