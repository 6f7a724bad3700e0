import { isPublicHost } from '../urls/public-host.ts';
import { readUrl } from '../urls/read-url.ts';

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
