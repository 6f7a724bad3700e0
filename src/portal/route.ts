import { openRoute } from '../http/route.ts';
import type { OpenRoute } from '../http/route.ts';
import { failingAs, pageFailed } from './failure.ts';
import type { Notice } from './notice.tsx';

interface PageSpec extends Omit<OpenRoute, 'audience' | 'failures'> {
  /** What a person reads when it fails; a plain sentence unless given. */
  failedAs?: Notice;
}

/** Where something is to be looked at, or posted to. */
export type Way = { get: string } | { post: string };

export function mountAt(way: Way): Pick<OpenRoute, 'method' | 'path'> {
  return 'get' in way ? { method: 'get', path: way.get } : { method: 'post', path: way.post };
}

/** A route that answers pages, its failures included. */
export function pageRoute({ failedAs = pageFailed, ...spec }: PageSpec): OpenRoute {
  return openRoute({ ...spec, failures: failingAs(failedAs) });
}
