import { audited, unrecorded } from '../audit/audited.ts';
import { changeOfChannel, channelSnapshot } from './snapshot.ts';
import { requestScoped } from '../world.ts';
import { deactivateChannel, releaseClaim } from './deactivate.ts';
import { channelHealth } from './health.ts';
import { listChannels, readChannel, listChannelsWithHealth } from './list.ts';
import { senderProfile } from '../profiles/sender-profile.ts';
import { updateChannel } from './update.ts';

export const channelUseCases = {
  ...unrecorded('reads', {
    listChannelsWithHealth,
    channelHealth,
    senderProfile: requestScoped(senderProfile),
    listChannels,
    readChannel,
  }),
  updateChannel: audited(requestScoped(updateChannel), {
    action: 'channel.updated',
    written: ({ before, channel }) => ({ before: channelSnapshot(before), after: channelSnapshot(channel) }),
  }),
  deactivateChannel: audited(requestScoped(deactivateChannel), {
    action: 'channel.deactivated',
    written: (changed) => changeOfChannel(changed),
  }),
  releaseClaim: audited(releaseClaim, {
    action: 'channel.claim-released',
    written: (changed) => changeOfChannel(changed),
  }),
};
