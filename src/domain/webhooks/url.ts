import { isIP } from 'node:net';
import { isForbiddenAddress } from './address.ts';

const longestUrl = 2_048;
const firstUnprivilegedPort = 1_024;

/** Names that only resolve inside a network. [faults: API7] */
const localNames = ['localhost', 'local', 'internal', 'localdomain', 'lan', 'home.arpa'];

/**
 * Why events can't be sent to this URL, as a sentence for the client, or null. Only the form is judged: what a host name
 * resolves to is looked at on every attempt. `allowInsecure` also takes `http:` and local receivers.
 * [spec: ChannelUpdateRequest; operator-interface §2 WEBHOOK_ALLOW_INSECURE; faults: 61]
 */
export function checkWebhookUrl(url: string, { allowInsecure }: { allowInsecure: boolean }): string | null {
  if (url.length > longestUrl) return `webhook_url must have at most ${longestUrl} characters`;
  // The URL parser drops tabs and line breaks and takes `\` for `/`: what we check must be what was sent.
  if (/[\s\p{Cc}\\]/u.test(url))
    return 'webhook_url must not contain spaces, control characters or backslashes';
  if (!URL.canParse(url)) return 'webhook_url is not a valid URL';
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && !(allowInsecure && parsed.protocol === 'http:'))
    return 'webhook_url must be an HTTPS URL';
  const authority = authorityOf(url);
  if (authority === null) return 'webhook_url is not a valid URL';
  if (authority.includes('@')) return 'webhook_url must not contain a user name or password';
  return allowInsecure ? null : publicProblem(parsed);
}

/** As written: the parsed URL has no trace of an empty `@`, and takes `https:host` and `https:///host` too. */
function authorityOf(url: string): string | null {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? null;
}

function publicProblem(url: URL): string | null {
  if (url.port !== '' && Number(url.port) < firstUnprivilegedPort)
    return 'webhook_url must use port 443 or one above 1023';
  return isPublicHost(url.hostname)
    ? null
    : 'webhook_url must not target a loopback, private or reserved address';
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
