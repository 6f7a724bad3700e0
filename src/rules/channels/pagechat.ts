import type { ChannelKind } from './kind.ts';
import { profileAs } from './profile.ts';
import { threadInteractive, threadKind, threadUploads } from './threads.ts';

/** Messages of a page: deliveries and reads are reported per conversation, as watermarks. */
export const pagechat: ChannelKind = {
  ...threadKind,
  type: 'pagechat',
  noun: 'page',
  label: 'pagechat (page)',
  nothingGranted:
    'Nothing was selected that can be connected as a channel of this type. Start the setup again and select the page.',
  textLimit: 2000,
  interactive: threadInteractive(2000),
  uploadLimits: { ...threadUploads, image: threadUploads.document },
  textBytes: null,
  rankOnAccept: 1,
  statusesOnAccept: [],
  reportsConversations: true,
  rankOfEcho: 1,
  echoNamesSender: true,
  subscribedAsset: (profile) => profileAs(profile, 'pagechat')?.pageId ?? null,
  publicFields(profile) {
    const own = profileAs(profile, 'pagechat');
    return own === null ? {} : { page_id: own.pageId };
  },
};
