import { BlockList, isIP } from 'node:net';

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

/** One list per family: in a common list an IPv4 block would match IPv6 forms that contain its addresses. */
function makeBlockList(blocks: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of blocks) list.addSubnet(net, prefix, family);
  return list;
}
