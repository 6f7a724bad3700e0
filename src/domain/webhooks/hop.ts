/** Marks every request and answer of ours, so that a webhook that comes back to us is known for a loop. [faults: 90] */
export const hopHeader = 'x-trunkline-hop';

/** The origin of a URL, whichever way its host is written: `host.` is `host`. */
export function writeOrigin(url: URL): string {
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
}
