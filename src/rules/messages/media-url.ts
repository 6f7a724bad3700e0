import { isPublicHost } from '../address.ts';
import { readUrl } from '../url.ts';

interface MediaUrlRules {
  allowInsecure: boolean;
  /** Host names under which clients and nodes reach this service. */
  ownHosts: readonly string[];
}

/**
 * Why upstream could not fetch a file from this URL, as the end of a sentence ("must be an HTTPS URL"), or null. Checks only the
 * form, because the service itself never opens it. `allowInsecure` also permits `http:` and local hosts.
 * [spec: Sending messages; operator-interface §2 WEBHOOK_ALLOW_INSECURE]
 */
export function mediaUrlProblem(text: string, { allowInsecure, ownHosts }: MediaUrlRules): string | null {
  const read = readUrl(text, { allowInsecure });
  if ('problem' in read) return read.problem;
  // It requires the client's API key, so upstream would get a 401.
  if (ownHosts.includes(read.url.hostname) && isDownload(read.url))
    return 'must not be a download_url of this service, which needs your API key: put the file behind a public or signed URL';
  if (allowInsecure || isPublicHost(read.url.hostname)) return null;
  return 'must not target a loopback, private or reserved address';
}

/** With any path prefix and percent-encoding. */
function isDownload({ pathname }: URL): boolean {
  return decoded(pathname).includes('/api/v1/media/');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // invalid encoding (`%zz`) is no path of ours
  }
}
