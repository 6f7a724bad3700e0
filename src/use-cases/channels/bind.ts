import type { UseCaseDeps } from '../deps.ts';
import { onBehalfOf } from '../on-behalf.ts';
import { listChannels } from './list.ts';
import { readChannel } from './read.ts';
import { updateChannel } from './update.ts';
import { deactivateChannel } from './deactivate.ts';
import { channelHealth } from './health.ts';
import type { ChannelProbes } from './health.ts';
import { busyHours, channelsFaring } from './overview.ts';
import { senderProfile } from './sender-profile.ts';
import { SenderProfiles } from './sender-profiles.ts';
import { releaseClaim } from './release-claim.ts';
import type { ChannelUseCases } from './use-cases.ts';

export function bindChannels(deps: UseCaseDeps, probes: ChannelProbes): ChannelUseCases {
  const { profileTtlMs: foundMs, profileMissTtlMs: missingMs } = deps.settings;
  const profiles = new SenderProfiles(deps.clock, { foundMs, missingMs });
  return {
    channelsFaring: (caller, page) => channelsFaring(deps, caller, page),
    busyHours: (caller) => busyHours(deps, caller),
    channelHealth: (caller, channelId) => channelHealth(deps, probes, caller, channelId),
    senderProfile: (caller, asked) =>
      senderProfile(onBehalfOf(deps, caller.requestId), profiles, caller, asked),
    listChannels: (caller, page) => listChannels(deps, caller, page),
    readChannel: (caller, channelId) => readChannel(deps, caller, channelId),
    updateChannel: (caller, channelId, patch) =>
      updateChannel(onBehalfOf(deps, caller.requestId), caller, channelId, patch),
    deactivateChannel: (caller, channelId) =>
      deactivateChannel(onBehalfOf(deps, caller.requestId), caller, channelId),
    releaseClaim: (channelId) => releaseClaim(deps, channelId),
  };
}
