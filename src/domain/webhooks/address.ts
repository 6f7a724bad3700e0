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
