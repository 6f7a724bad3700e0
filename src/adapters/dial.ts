/**
 * The guard of dialled addresses: a name is resolved once, refused if any of its addresses is not global, and the address that was checked
 * is dialled. The only file that adapters share: webhooks and media both dial addresses that other people chose.
 */
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { isForbiddenAddress } from '../domain/address.ts';
import type { Networks } from '../domain/address.ts';

/** Longest head of an answer from an address that other people chose. */
export const maxHeaderBytes = 16_384;

/** Which addresses may be dialled. */
export interface DialRules {
  /** Development only: allows every address except our own listeners. */
  allowInsecure: boolean;
  /** Private networks that are allowed nevertheless. */
  networks: Networks;
  own: OwnListeners;
}

/** Resolves a host name to all its addresses, as IP literals. Empty or rejected: none found, or no name server answered. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The connection was refused before dialling. Our log distinguishes the two codes; the tenant does not see which. [faults: 58] */
class DialRefused extends Error {
  override readonly name = 'DialRefused';
  readonly code: 'blocked' | 'dns_error';

  constructor(code: 'blocked' | 'dns_error') {
    super(code);
    this.code = code;
  }
}

/**
 * Queries the name servers directly. `getaddrinfo` runs on libuv's four threads, which files and zlib share: four tenants with silent name
 * servers would block everybody. The cost: /etc/hosts and search domains are not used, which public receivers do not need. A silent AAAA
 * server costs at most 2.4 s, so that a host with good A records is still reached.
 */
export function makeDnsLookup(): Lookup {
  const resolver = new Resolver({ timeout: 800, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Development only: also resolves `localhost` and names in /etc/hosts. */
export const hostsLookup: Lookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
};

/**
 * Node calls this lookup once per connection and dials the address that it returns, so the checked address is the dialled one. One
 * forbidden address refuses the host. [faults: 58-60; architecture §6.9]
 */
export function guardedLookup(lookup: Lookup, rules: Omit<DialRules, 'own'>): LookupFunction {
  const ask = callbackify((hostname: string) => allowedAddresses(lookup, hostname, rules));
  return (hostname, options, callback) => {
    ask(hostname, (error, addresses) => {
      // callbackify's types claim a value even when there is an error.
      const first: Address | undefined = error === null ? addresses[0] : undefined;
      if (first === undefined) callback(error ?? new DialRefused('dns_error'), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

interface Address {
  address: string;
  family: number;
}

async function allowedAddresses(
  lookup: Lookup,
  hostname: string,
  { allowInsecure, networks }: Omit<DialRules, 'own'>,
): Promise<Address[]> {
  const answers = await lookup(hostname).catch(() => []);
  const addresses = answers.map((address) => ({ address, family: isIP(address) }));
  if (addresses.length === 0) throw new DialRefused('dns_error');
  const isForbidden = addresses.some(
    ({ address, family }) => family === 0 || (isForbiddenAddress(address) && !networks.has(address)),
  );
  if (isForbidden && !allowInsecure) throw new DialRefused('blocked');
  return addresses;
}

/**
 * Node calls no lookup for a literal address, so literals are checked here. A connection that turns out to end at a listener of this
 * service is destroyed before a byte is written. [faults: 61, 90]
 */
export function guardedConnector(
  connect: buildConnector.connector,
  { allowInsecure, networks, own }: DialRules,
): buildConnector.connector {
  return (options, callback) => {
    const { hostname } = options;
    const isForbidden = isIP(hostname) !== 0 && isForbiddenAddress(hostname) && !networks.has(hostname);
    if (isForbidden && !allowInsecure) {
      queueMicrotask(() => callback(new DialRefused('blocked'), null));
      return;
    }
    connect(options, (...connected) => {
      const [error, socket] = connected;
      if (error !== null || !isOwn(own, socket)) return callback(...connected);
      socket.destroy();
      callback(new DialRefused('blocked'), null);
    });
  };
}

/** Runs in a socket's callback, where a throw would end the process: an address that cannot be judged is ours. [faults: 282] */
function isOwn(own: OwnListeners, socket: Socket): boolean {
  try {
    return own.has(socket.remoteAddress, socket.remotePort);
  } catch {
    return true;
  }
}

/** The listeners of this service, which no receiver's address may be. [faults: 90] */
interface OwnListeners {
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
