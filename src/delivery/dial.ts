/**
 * The guard of dialled addresses: a name is resolved once, refused if any of its addresses is not global, and the address that was checked
 * is dialled. Webhooks and media both dial addresses that other people chose; calls to upstream race the addresses too.
 */
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { buildConnector } from 'undici';
import { isForbiddenAddress } from '../rules/address.ts';
import type { Networks } from '../rules/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import { inTurn, Race } from './dial-race.ts';
import type { Dialled, RaceOptions } from './dial-race.ts';

/** Longest head of an answer from an address that other people chose. */
export const maxHeaderBytes = 16_384;

/** As undici's own connector. */
const keepAliveProbeMs = 60_000;

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

/** A silent AAAA server costs at most 2.4 s, so that a host with good A records is still reached. */
const openResolver = (): Resolver => new Resolver({ timeout: 800, tries: 2 });

/**
 * Queries the name servers directly. `getaddrinfo` runs on libuv's four threads, which files and zlib share: four tenants with silent name
 * servers would block everybody. The cost: /etc/hosts and search domains are not used, which public receivers do not need. Each look-up has a
 * resolver of its own, which takes 30 µs: one reads /etc/resolv.conf once, and would ask name servers that are gone for as long as it
 * lives. [faults: 522]
 */
export function makeDnsLookup(open: () => Resolver = openResolver): Lookup {
  return async (hostname) => {
    const resolver = open();
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Development only: also resolves `localhost` and names in /etc/hosts. */
export const hostsLookup: Lookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
};

interface Address {
  address: string;
  family: number;
}

/** The addresses of a name, resolved once; one forbidden address refuses the name. Throws DialRefused. [faults: 58-60; architecture §6.9] */
export async function allowedAddresses(
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

interface DialOptions {
  lookup: Lookup;
  rules: DialRules;
  clock: Clock;
  /** Covers look-up and connection, however many addresses there are. */
  timeoutMs: number;
  open?: RaceOptions['open'];
}

/** Opens a TCP connection to a host. Calls back once, never before it has returned, and never throws. */
type Dial = (target: { hostname: string; port: number }, dialled: Dialled) => void;

/**
 * The name is resolved here and the checked addresses are dialled, so no look-up can come between. A connection that turns out to end at a
 * listener of this service is destroyed before a byte is written. [faults: 58-61, 90]
 */
export function makeDial({ lookup, rules, clock, timeoutMs, open }: DialOptions): Dial {
  return ({ hostname, port }, dialled) => {
    let race: Race | null = null;
    let isOver = false;
    const end: Dialled = (error, socket) => {
      if (isOver) return socket?.destroy();
      isOver = true;
      cancelDeadline();
      if (socket === null || !isOwn(rules.own, socket)) return dialled(error, socket);
      socket.destroy();
      dialled(new DialRefused('blocked'), null);
    };
    const cancelDeadline = clock.after(timeoutMs, () =>
      race === null ? end(tooLate(), null) : race.stop(tooLate()),
    );
    findAddresses(lookup, hostname, rules)
      .then(
        (addresses) => {
          if (isOver) return;
          race = new Race(inTurn(addresses), { port, clock, ...(open === undefined ? {} : { open }) }, end);
          race.start();
        },
        (error: unknown) => end(asError(error), null),
      )
      .catch((error: unknown) => end(asError(error), null));
  };
}

function tooLate(): Error {
  return Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
}

async function findAddresses(lookup: Lookup, hostname: string, rules: DialRules): Promise<Address[]> {
  const literal = isIP(hostname);
  return allowedAddresses(literal === 0 ? lookup : async () => [hostname], hostname, rules);
}

/** undici's connector over `dial`: TLS on the connection of the race. [faults: 57] */
export function guardedConnector(connect: buildConnector.connector, dial: Dial): buildConnector.connector {
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? 443 : 80) : Number(options.port);
    dial({ hostname: options.hostname, port }, (error, socket) => {
      if (socket === null) return callback(error ?? new DialRefused('dns_error'), null);
      socket.setKeepAlive(true, keepAliveProbeMs).setNoDelay(true);
      if (!isTls) return callback(null, socket);
      overSocket(socket, callback, () => connect({ ...options, httpSocket: socket }, callback));
    });
  };
}

/** Begins TLS in the callback of a socket, where a throw would end the process. [faults: 335] */
export function overSocket(
  socket: Socket,
  failed: (error: Error, none: null) => void,
  begin: () => void,
): void {
  try {
    begin();
  } catch (error) {
    socket.destroy();
    failed(asError(error), null);
  }
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
