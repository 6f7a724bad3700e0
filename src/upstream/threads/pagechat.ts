import { profileAs } from '../../rules/channels/profile.ts';
import type { ParsedPost } from '../../rules/messages/facts.ts';
import type { UpstreamAsset } from '../connecting-calls.ts';
import type { UpstreamKind } from '../kind.ts';
import { keepMalformed } from '../unparsed-items.ts';
import { asId, asName } from '../read.ts';
import type { Json } from '../read.ts';
import { connectPages } from './connect.ts';
import { takeThreadItems } from './item.ts';
import { accepted, pageBody, pageSignal, pageUpload } from './send.ts';

const connect = connectPages({
  required: ['pages_show_list', 'pages_messaging', 'pages_manage_metadata'],
  asked: ({ pageScopes }) => pageScopes,
  readAsset,
});

/** Messages of pages. [upstream §2.1, §3.3, §4.7] */
export const pagechat: UpstreamKind = {
  send: {
    sender: ({ profile }) => profileAs(profile, 'pagechat')?.pageId ?? null,
    body: (outgoing) => pageBody(outgoing, outgoing.messageId),
    accepted,
  },
  webhook: { object: 'page', takeEntry },
  connect,
  upload: pageUpload(null),
  signalBody: pageSignal,
  profileFields: ['first_name', 'last_name', 'profile_pic'],
};

function readAsset(page: Json, token: string): UpstreamAsset | null {
  const pageId = asId(page['id']);
  if (pageId === null) return null;
  const profile = { type: 'pagechat', pageId } as const;
  return { channelType: 'pagechat', identity: pageId, name: asName(page['name']), profile, token };
}

/**
 * One `entry` of a `page` POST. `standby` holds items that another app may answer first; they are messages to the business nevertheless.
 * Page `changes` (posts, mentions) are no messages. [upstream §4.7, §4.9]
 */
function* takeEntry(entry: Json, out: ParsedPost, now: number): Generator<void, void> {
  const identity = asId(entry['id']);
  const place = { channelType: 'pagechat', identity, kind: 'entry' } as const;
  if (identity === null) return keepMalformed(out, place, entry);
  const lists = [entry['messaging'], entry['standby']];
  yield* takeThreadItems(lists, { channelType: 'pagechat', identity, entry, now }, out);
}
