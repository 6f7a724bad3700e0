/** Which URLs a file may be downloaded from, and which hosts get the token. [upstream §1.1, §5; faults: API7] */
import { isLoopback } from '../kernel/loopback.ts';

export interface HostRules {
  /** Base URL of the upstream API. Only if it is on this machine (the simulator) may files be on this machine too. */
  upstreamUrl: string;
  /** A leading dot allows every subdomain. */
  hosts: readonly string[];
  tokenHosts: readonly string[];
}

/** `isOurs`: the host of the API itself, whose address is not checked. null: the URL is forbidden. */
export type FileAddress = { url: URL; isOurs: boolean; seesToken: boolean } | null;

const maxUrl = 4_096;

export function makeHosts({
  upstreamUrl,
  hosts,
  tokenHosts,
}: HostRules): (address: string, from?: URL) => FileAddress {
  const upstream = new URL(upstreamUrl);
  const isOnThisMachine = isLoopback(upstream.hostname);

  function isUpstream(url: URL): boolean {
    if (url.origin === upstream.origin) return true;
    const isSamePort = url.protocol === upstream.protocol && url.port === upstream.port;
    return isOnThisMachine && isSamePort && isLoopback(url.hostname);
  }

  return (address, from) => {
    const url = address.length > maxUrl ? null : parsed(address, from);
    if (url === null || url.username !== '' || url.password !== '') return null;
    if (isUpstream(url)) return { url, isOurs: true, seesToken: true };
    if (url.protocol !== 'https:' || url.port !== '' || !isAmong(hosts, url.hostname)) return null;
    return { url, isOurs: false, seesToken: isAmong(tokenHosts, url.hostname) };
  };
}

function isAmong(hosts: readonly string[], hostname: string): boolean {
  return hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host));
}

function parsed(address: string, from: URL | undefined): URL | null {
  try {
    return new URL(address, from);
  } catch {
    return null; // invalid URL
  }
}
