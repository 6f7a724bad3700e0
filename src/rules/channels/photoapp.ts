import { mib } from '../../kernel/bytes.ts';
import type { ChannelKind } from './kind.ts';
import { profileAs } from './profile.ts';
import { threadInteractive, threadKind, threadUploads } from './threads.ts';

/** Direct messages of a photo-sharing account: reads are reported per conversation, deliveries never. */
export const photoapp: ChannelKind = {
  ...threadKind,
  type: 'photoapp',
  noun: 'account',
  label: 'photoapp (direct messages)',
  nothingGranted:
    'Nothing was selected that can be connected as a channel of this type. Start the setup again and select the page and the photo account that is linked to it.',
  textLimit: 1000,
  interactive: threadInteractive(1000),
  uploadLimits: { ...threadUploads, image: 8 * mib },
  textBytes: 1000,
  // [spec: Delivery status] No delivery receipt exists; the service's own sends get a synthetic `delivered`.
  rankOnAccept: 2,
  statusesOnAccept: ['delivered'],
  reportsConversations: true,
  // [spec: message.echo 4] An echo counts as delivered and no `message.delivered` follows.
  rankOfEcho: 2,
  echoNamesSender: false,
  subscribedAsset: (profile) => profileAs(profile, 'photoapp')?.pageId ?? null,
  publicFields(profile) {
    const own = profileAs(profile, 'photoapp');
    return own === null
      ? {}
      : { photoapp_account_id: own.accountId, photoapp_username: own.username, page_id: own.pageId };
  },
};
