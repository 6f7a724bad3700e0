import { isOnNetworks, isPublicHost } from '../address.ts';
import type { Networks } from '../address.ts';
import { readUrl } from '../url.ts';

/** Rules for receivers' URLs, set by the operator. */
export interface WebhookUrlRules {
  /** Permits `http:` and local receivers. */
  allowInsecure: boolean;
  allowedNetworks: Networks;
}

/**
 * Why events can't be sent to this URL, as a sentence for the client that names the field, or null. Checks only the form: the address of a
 * host name is checked at every attempt.
 * [spec: ChannelUpdateRequest; operator-interface §2 WEBHOOK_ALLOW_INSECURE, WEBHOOK_ALLOW_CIDRS; faults: 61]
 */
export function webhookTargetProblem(
  url: string,
  rules: WebhookUrlRules,
  field = 'webhook_url',
): string | null {
  const read = readUrl(url, rules);
  if ('problem' in read) return `${field} ${read.problem}`;
  const problem = rules.allowInsecure ? null : publicProblem(read.url, rules.allowedNetworks);
  return problem === null ? null : `${field} ${problem}`;
}

function publicProblem({ hostname }: URL, networks: Networks): string | null {
  return isPublicHost(hostname) || isOnNetworks(hostname, networks)
    ? null
    : 'must not target a loopback, private or reserved address';
}

/** As `webhookTargetProblem`, for a new setting: also refuses URLs of this service, which would loop. [faults: 90] */
export function webhookUrlProblem(
  url: string,
  rules: WebhookUrlRules & { ownUrls: readonly string[] },
  field?: string,
): string | null {
  const problem = webhookTargetProblem(url, rules, field);
  if (problem !== null) return problem;
  const origin = writeOrigin(new URL(url));
  return rules.ownUrls.some((own) => writeOrigin(new URL(own)) === origin)
    ? 'must not point at this service'
    : null;
}

/** Header of all our requests and answers, by which a webhook that comes back to us is detected as a loop. [faults: 90] */
export const hopHeader = 'x-trunkline-hop';

/** The origin of a URL with a normalised host: `host.` becomes `host`. */
export function writeOrigin(url: URL): string {
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
}
