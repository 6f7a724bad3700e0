import type { Settings } from '../../config/settings.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Every host name that somebody reaches this service by, as a parsed URL has it. */
export function ownHostsOf({ baseUrl, internalUrl }: Settings): readonly string[] {
  const named = [baseUrl, internalUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return [...new Set([...named, ...loopback])];
}
