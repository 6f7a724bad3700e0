/** Which addresses and hosts are public, and which private networks are allowed. */
import { BlockList, isIP } from 'node:net';

/** All ranges that the IANA registry of special-purpose addresses lists as not globally reachable. [faults: API7] */
const forbiddenIpv4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Only 2000::/3 is global unicast. The three large blocks cover the rest, with loopback, `::ffff:0:0/96`, 64:ff9b::/96,
 * fc00::/7, fe80::/10 and multicast; the others are inside 2000::/3: protocol assignments with Teredo, documentation, 6to4.
 */
const forbiddenIpv6: readonly [string, number][] = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** One list per family: in a common list the mapped block `::ffff:0:0/96` would match every IPv4 address. */
const ipv4 = makeBlockList(forbiddenIpv4, 'ipv4');
const ipv6 = makeBlockList(forbiddenIpv6, 'ipv6');

function makeBlockList(blocks: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of blocks) list.addSubnet(net, prefix, family);
  return list;
}

/**
 * Whether a webhook must never be sent to this address (IPv4 dotted or IPv6, without brackets): loopback, private, link-local,
 * shared, multicast, reserved, and IPv6 forms that contain an IPv4 address. True for any text that is no address.
 * [architecture §6.9; faults: 58-61]
 */
export function isForbiddenAddress(ip: string): boolean {
  // An address with a zone (`fe80::1%eth0`) is valid on this machine only.
  if (ip.includes('%')) return true;
  const family = isIP(ip);
  if (family === 4) return ipv4.check(ip, 'ipv4');
  return family === 6 ? ipv6.check(ip, 'ipv6') : true;
}

/** Private networks in which receivers are allowed. [operator-interface §2 WEBHOOK_ALLOW_CIDRS] */
export interface Networks {
  /** Number of networks; with 0 no private host is allowed. */
  size: number;
  /** `ip` in the notation of sockets, without brackets. */
  has(ip: string): boolean;
}

/**
 * Never allowed: this host, loopback, link-local (where clouds serve their metadata), multicast and reserved
 * ranges, and IPv6 forms that contain an IPv4 address.
 */
const neverIpv4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const neverIpv6: readonly [string, number][] = [
  ['::', 8],
  ['64:ff9b::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['ff00::', 8],
];

const families = { 4: 'ipv4', 6: 'ipv6' } as const;
const forbidden = {
  ipv4: makeBlockList(neverIpv4, 'ipv4'),
  ipv6: makeBlockList(neverIpv6, 'ipv6'),
};

/** `cidrs` like `10.0.0.0/8`, already validated. */
export function parseNetworks(cidrs: readonly string[]): Networks {
  const blocks = cidrs.map((cidr): [string, number] => {
    const [address = '', prefix] = cidr.split('/');
    return [address, Number(prefix)];
  });
  const allowed = {
    ipv4: makeBlockList(
      blocks.filter(([address]) => isIP(address) === 4),
      'ipv4',
    ),
    ipv6: makeBlockList(
      blocks.filter(([address]) => isIP(address) === 6),
      'ipv6',
    ),
  };
  return {
    size: cidrs.length,
    has(ip) {
      const version = isIP(ip);
      if ((version !== 4 && version !== 6) || ip.includes('%')) return false;
      const family = families[version];
      return allowed[family].check(ip, family) && !forbidden[family].check(ip, family);
    },
  };
}

export const noNetworks: Networks = parseNetworks([]);

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
