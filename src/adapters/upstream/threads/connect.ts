import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import type { ConnectForm } from '../kind.ts';
import { asId, asList } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { pickedPages } from './pages.ts';

/**
 * Every field of both kinds: the call replaces the page's list, and one page may serve a pagechat and a photoapp channel.
 * [upstream §2.2]
 */
const pageFields = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'messaging_seen',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
].join(',');

/** Without a list of fields upstream did not say which: then it is all that was asked for. [upstream §2.2] */
function isHeardBy(app: Json, appId: string): boolean {
  const fields = app['subscribed_fields'];
  return asId(app['id']) === appId && (fields === undefined || asList(fields).includes('messages'));
}

/** What must be granted, and what is usually needed beside it. [upstream §2.1] */
export interface Scopes {
  required: readonly string[];
  usual: readonly string[];
}

/** `rerequest`: who declined a permission once is asked again, else a second try could never succeed. */
function scopeParams({ required, usual }: Scopes): [name: string, value: string][] {
  return [
    ['scope', [...required, ...usual].join(',')],
    ['auth_type', 'rerequest'],
  ];
}

/** Both kinds are connected by the pages that a person picks; `readAssets` says what a page has for the kind. */
export function connectPages(scopes: Scopes, readAssets: (page: Json) => UpstreamAsset[]): ConnectForm {
  return {
    dialogParams: () => scopeParams(scopes),
    async assets(graph, settings, request) {
      const pages = await pickedPages(graph, settings, request, scopes.required);
      return pages.flatMap(readAssets);
    },
    subscriptionQuery: { subscribed_fields: pageFields },
    isHeardBy,
    profile: async () => null,
    afterSubscribe: async () => undefined,
  };
}
