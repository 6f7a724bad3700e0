/** Whom an address stands for: an IPv6 address is reduced to its /64, because a household gets a whole /64. [faults: 87] */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const groups = expandGroups(address);
  const isIpv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:65535';
  if (isIpv4) return groups.slice(6).flatMap(splitBytes).join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The /48 that an IPv6 network of `clientNetwork` is in: a site, or an attacker's hoster, has 65,536 of those. null for IPv4. [faults: 320] */
export function siteOf(network: string): string | null {
  if (!network.endsWith('::/64')) return null;
  return `${network.split(':').slice(0, 3).join(':')}::/48`;
}

/** All eight groups: `2001:db8::1` and `2001:db8:0:0:7::1` are in the same network, which their spelling hides. */
function expandGroups(address: string): number[] {
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail] = withoutZone.split('::');
  const [left, right] = [groupsIn(head), groupsIn(tail ?? '')];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function groupsIn(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => (part.includes('.') ? groupsOfIpv4(part) : parseInt(part, 16)));
}

function groupsOfIpv4(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function splitBytes(group: number): number[] {
  return [group >> 8, group & 255];
}
