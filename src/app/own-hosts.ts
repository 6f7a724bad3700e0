/** Where this service itself is to be found. */
import type { Settings } from '../../config/settings.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Every host name that somebody reaches this service by, as a parsed URL has it. */
export function listOwnHosts({ baseUrl, internalUrl }: Settings): readonly string[] {
  const named = [baseUrl, internalUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return [...new Set([...named, ...loopback])];
}

/** Addresses that are ours and nobody's receiver. */
export function listOwnUrls({ baseUrl, internalUrl }: Settings): readonly string[] {
  return internalUrl === null ? [baseUrl] : [baseUrl, internalUrl];
}

/** Ports of this machine that we listen on. */
export function listOwnPorts({ port, internalPort, adminPort }: Settings): readonly number[] {
  return [port, internalPort ?? 0, adminPort ?? 0].filter((each) => each !== 0);
}
