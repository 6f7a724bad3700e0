import { openRoute } from '../http/route.ts';
import type { OpenRoute, Way } from '../http/route.ts';
import { failingAs, pageFailed } from './failure.ts';
import type { Notice } from './notice.tsx';

type PageSpec = Way &
  Omit<OpenRoute, 'method' | 'path' | 'audience' | 'failures'> & {
    /** What a person reads when it fails; a plain sentence unless given. */
    failedAs?: Notice;
  };

/** A route that answers pages, its failures included. */
export function pageRoute({ failedAs = pageFailed, ...spec }: PageSpec): OpenRoute {
  return openRoute({ ...spec, failures: failingAs(failedAs) });
}
