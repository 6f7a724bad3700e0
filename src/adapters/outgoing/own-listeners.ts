import { networkInterfaces } from 'node:os';

/** The listeners of this service, which no receiver's address may be. [faults: 90] */
export interface OwnListeners {
  has(address: string | undefined, port: number | undefined): boolean;
}

/**
 * `ports`: those this process listens on. The machine's addresses may change, so they are read again for each connection to one of these
 * ports.
 */
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

/** Strips the zone, and the prefix of an IPv4 address on an IPv6 socket. */
function plain(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
