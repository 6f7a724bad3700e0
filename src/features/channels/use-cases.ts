import { requestScoped } from '../world.ts';
import { deactivateChannel, releaseClaim } from './deactivate.ts';
import { channelHealth } from './health.ts';
import { listChannels, readChannel, listChannelsWithHealth } from './list.ts';
import { senderProfile } from '../profiles/sender-profile.ts';
import { updateChannel } from './update.ts';

export const channelUseCases = {
  listChannelsWithHealth,
  channelHealth,
  senderProfile: requestScoped(senderProfile),
  listChannels,
  readChannel,
  updateChannel: requestScoped(updateChannel),
  deactivateChannel: requestScoped(deactivateChannel),
  releaseClaim,
};
