import type { ChannelKind } from '../kind.ts';
import { profileAs } from '../profile.ts';
import { checkTextLength } from '../../messages/text.ts';
import {
  checkScopedId,
  clipPace,
  threadContents,
  threadEvents,
  threadPace,
  withoutTexts,
} from '../threads/index.ts';

const textLimit = 2000;

/** Messages of a page: delivery and reads are per conversation, as watermarks. */
export const pagechat: ChannelKind = {
  type: 'pagechat',
  noun: 'page',
  textLimit,
  availableEvents: threadEvents,
  checkRecipient: checkScopedId,
  checkText: (text) => checkTextLength(text, textLimit, 'pagechat'),
  canSend: threadContents,
  fitMedia: withoutTexts,
  paceOf: () => threadPace,
  clipPace,
  pairPace: null,
  rankOnAccept: 1,
  statusesOnAccept: [],
  rankOfEcho: 1,
  hasEchoes: () => true,
  echoNamesSender: true,
  namesSender: false,
  describesFiles: false,
  showsProfiles: true,
  subscribedAsset: (profile) => profileAs(profile, 'pagechat')?.pageId ?? null,
  publicFields(profile) {
    const own = profileAs(profile, 'pagechat');
    return own === null ? {} : { page_id: own.pageId };
  },
};
