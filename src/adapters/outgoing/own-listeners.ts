import { networkInterfaces } from 'node:os';

/** The listeners of this very service: no receiver is one of them. [faults: 90] */
export interface OwnListeners {
  has(address: string | undefined, port: number | undefined): boolean;
}

/** `ports` of this machine. Its addresses are looked up only for a connection to one of those ports: they may change. */
export function ownListeners(ports: readonly number[]): OwnListeners {
  const ours = new Set(ports);
  return {
    has: (address, port) =>
      address !== undefined && port !== undefined && ours.has(port) && isOfThisMachine(plain(address)),
  };
}

function isOfThisMachine(address: string): boolean {
  if (address === '::1' || address.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((each) =>
    each?.some((one) => plain(one.address) === address),
  );
}

/** Without the zone, and without the prefix of an IPv4 address on an IPv6 socket. */
function plain(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
