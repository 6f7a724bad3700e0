/** Hosts, URLs and ports of this service itself. */
import type { Settings } from '../../config/settings.ts';
import { isLoopback } from '../kernel/loopback.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Every host name of this service, spelled as in a parsed URL. */
export function listOwnHosts({ baseUrl, internalUrl }: Settings): readonly string[] {
  const named = [baseUrl, internalUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return [...new Set([...named, ...loopback])];
}

/** URLs of this service, which are no valid webhook receivers. */
export function listOwnUrls({ baseUrl, internalUrl }: Settings): readonly string[] {
  return internalUrl === null ? [baseUrl] : [baseUrl, internalUrl];
}

/** Ports of this machine on which this service listens. */
export function listOwnPorts({ port, internalPort, adminPort }: Settings): readonly number[] {
  return [port, internalPort ?? 0, adminPort ?? 0].filter((each) => each !== 0);
}

/** Upstream calls https: addresses only, and no host of ours that means itself to it. The simulator, on this machine, calls any. */
export function isReachableByUpstream({ baseUrl, upstreamUrl }: Settings): boolean {
  if (isLoopback(new URL(upstreamUrl).hostname)) return true;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' && !isLoopback(hostname);
}
