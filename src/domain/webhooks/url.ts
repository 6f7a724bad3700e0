import { isIP } from 'node:net';
import { readUrl } from '../urls/read-url.ts';
import { isForbiddenAddress } from './address.ts';

/** Names that only resolve inside a network. [faults: API7] */
const localNames = ['localhost', 'local', 'internal', 'localdomain', 'lan', 'home.arpa'];

/**
 * Why events can't be sent to this URL, as a sentence for the client, or null. Only the form is judged: what a host name
 * resolves to is looked at on every attempt. `allowInsecure` also takes `http:` and local receivers.
 * [spec: ChannelUpdateRequest; operator-interface §2 WEBHOOK_ALLOW_INSECURE; faults: 61]
 */
export function checkWebhookUrl(url: string, options: { allowInsecure: boolean }): string | null {
  const read = readUrl(url, options);
  if ('problem' in read) return `webhook_url ${read.problem}`;
  const problem = options.allowInsecure ? null : publicProblem(read.url);
  return problem === null ? null : `webhook_url ${problem}`;
}

function publicProblem(url: URL): string | null {
  return isPublicHost(url.hostname) ? null : 'must not target a loopback, private or reserved address';
}

/** `hostname` as the URL parser gives it: lower case, punycode, every spelling of an IPv4 address made dotted. */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return !isForbiddenAddress(hostname.slice(1, -1));
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(name) !== 0) return !isForbiddenAddress(name);
  if (localNames.some((local) => name === local || name.endsWith(`.${local}`))) return false;
  // A single label is a name of the local network; an empty one is no name.
  return name.includes('.') && name.split('.').every((label) => label !== '');
}
