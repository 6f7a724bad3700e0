/** The filter of the list of messages, as in its URL. */
import { maxRecipient } from '../../../rules/channels/recipient.ts';
import { asWords, choiceField, keptField, spanFields } from '../../../pages/list/filter.tsx';
import type { ChannelField } from '../../channels/index.ts';
import { listedStatuses } from '../listed.ts';

export function messageFilter(channel: ChannelField) {
  return {
    person: keptField(maxRecipient),
    channel,
    state: choiceField('State', 'any state', asWords(listedStatuses)),
    ...spanFields,
  };
}
