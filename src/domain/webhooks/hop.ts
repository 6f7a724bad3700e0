/** Header of all our requests and answers, by which a webhook that comes back to us is detected as a loop. [faults: 90] */
export const hopHeader = 'x-trunkline-hop';

/** The origin of a URL with a normalised host: `host.` becomes `host`. */
export function writeOrigin(url: URL): string {
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
}
