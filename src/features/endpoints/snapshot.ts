/** What the audit log shows of an endpoint. */
import { marked, markedUrl } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import { toIso } from '../../kernel/clock.ts';
import type { Endpoint } from './entity.ts';

export function endpointSnapshot(endpoint: Endpoint): Snapshot {
  const { id, accountId, channelId, url, secret, events, headers, disabledAt } = endpoint;
  return {
    accountId,
    subject: id,
    shown: {
      channel_id: channelId,
      url: markedUrl(url),
      secret: secret === null ? null : marked('set', secret),
      events: events.join(' '),
      headers: headers === null ? null : marked(headers.names.join(' '), headers.sealed),
      disabled_at: toIso(disabledAt),
    },
  };
}
