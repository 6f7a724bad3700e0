import { profileAs } from '../../rules/channels/profile.ts';
import type { ParsedPost } from '../../rules/messages/facts.ts';
import type { UpstreamAsset } from '../connecting-calls.ts';
import type { UpstreamKind } from '../kind.ts';
import { countIgnored, isTestPush, keepMalformed, note } from '../unparsed-items.ts';
import { asId, asList, asName, asRecord } from '../read.ts';
import type { Json } from '../read.ts';
import { connectPages } from './connect.ts';
import { notice, pushedIn, takeThreadItems } from './item.ts';
import { accepted, pageBody, pageSignal, pageUpload } from './send.ts';
import type { Thread } from './thread.ts';

const connect = connectPages({
  required: [
    'instagram_basic',
    'instagram_manage_messages',
    'pages_show_list',
    'pages_manage_metadata',
    // Not to send, but to subscribe the page to messages.
    'pages_messaging',
  ],
  asked: ({ photoScopes }) => photoScopes,
  readAsset,
});

/**
 * Direct messages of photo accounts. Each account is linked to a page and sends through it, with the page's token. [upstream §3.3, §4.8]
 */
export const photoapp: UpstreamKind = {
  send: {
    sender: ({ profile }) => profileAs(profile, 'photoapp')?.pageId ?? null,
    body: (outgoing) => pageBody(outgoing, null),
    accepted,
  },
  webhook: { object: 'instagram', isSignedApart: true, takeEntry },
  connect,
  upload: pageUpload('instagram'),
  signalBody: pageSignal,
  profileFields: ['username', 'name', 'profile_pic', 'follower_count', 'is_verified_user'],
};

function readAsset(page: Json, token: string): UpstreamAsset | null {
  const pageId = asId(page['id']);
  const account = asRecord(page['instagram_business_account']);
  const identity = asId(account?.['id']);
  if (pageId === null || identity === null) return null;
  const username = asName(account?.['username']);
  const profile = { type: 'photoapp', accountId: identity, username, pageId } as const;
  return { channelType: 'photoapp', identity, name: username, profile, token };
}

/**
 * One `entry` of an `instagram` POST; its id is the account's, not the page's. Test events of upstream's dashboard may arrive as `changes`
 * whose `value` is the same item. [upstream §4.8, §4.9]
 */
function* takeEntry(entry: Json, out: ParsedPost, now: number): Generator<void, void> {
  const identity = asId(entry['id']);
  const place = { channelType: 'photoapp', identity, kind: 'entry' } as const;
  if (identity === null) return keepMalformed(out, place, entry);
  const thread = { channelType: 'photoapp', identity, entry, now } as const;
  yield* takeThreadItems([entry['messaging'], entry['standby'], pushesIn(thread, out)], thread, out);
}

function pushesIn(thread: Thread, out: ParsedPost): Json[] {
  const changes = asList(thread.entry['changes']);
  const pushes = changes.map(pushedIn).filter((push) => push !== null);
  for (let others = changes.length - pushes.length; others > 0; others -= 1) countIgnored(out);
  if (pushes.length > 0 && !isTestPush(thread.entry)) note(out, notice('test_push_received', thread));
  return pushes;
}
