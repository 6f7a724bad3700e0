import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { isForbiddenAddress } from '../../domain/webhooks/address.ts';
import type { Networks } from '../../domain/webhooks/networks.ts';
import type { OwnListeners } from './own-listeners.ts';

/** What may be dialled. */
export interface DialRules {
  /** Development only: everything but our own listeners. */
  allowInsecure: boolean;
  /** Private ones that may be dialled nevertheless. */
  networks: Networks;
  own: OwnListeners;
}

/** All addresses of a host name, as IP literals. Rejects when there is none or nobody answers. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** We did not dial. Our log tells the two apart; the tenant is not told which. [faults: 58] */
class DialRefused extends Error {
  override readonly name = 'DialRefused';
  readonly code: 'blocked' | 'dns_error';

  constructor(code: 'blocked' | 'dns_error') {
    super(code);
    this.code = code;
  }
}

/**
 * Asks the name servers itself. `getaddrinfo` runs on the four threads that files and zlib share: four tenants whose
 * name servers stay silent would stop everybody. The price: /etc/hosts and search domains do not apply, which public
 * receivers do not need. Silent AAAA servers cost at most 2.4 s, so that a host with good A records is still reached.
 */
export function makeDnsLookup(): Lookup {
  const resolver = new Resolver({ timeout: 800, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Development only: knows `localhost` and /etc/hosts. */
export const hostsLookup: Lookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
};

/**
 * Node asks once per connection and dials what it is told: the address that was checked is the address that is used.
 * One forbidden answer refuses them all. [faults: 58-60; architecture §6.9]
 */
export function guardedLookup(lookup: Lookup, rules: Omit<DialRules, 'own'>): LookupFunction {
  const ask = callbackify((hostname: string) => allowedAddresses(lookup, hostname, rules));
  return (hostname, options, callback) => {
    ask(hostname, (error, addresses) => {
      // callbackify's types promise a value where an error comes without one.
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
 * Literal addresses never reach a lookup, so they are checked here, at the same moment. What turns out to be a listener of this
 * service is left before a byte is written. [faults: 61, 90]
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
      if (error !== null || !own.has(socket.remoteAddress, socket.remotePort)) return callback(...connected);
      socket.destroy();
      callback(new DialRefused('blocked'), null);
    });
  };
}
