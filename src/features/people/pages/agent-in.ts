import type { PageContext } from '../../route.ts';
import { nameAgent } from '../agent.ts';

/** The browser of this request, for the list of sessions. */
export function agentIn({ request }: Pick<PageContext, 'request'>): string | null {
  return nameAgent(request.headers['user-agent']);
}
