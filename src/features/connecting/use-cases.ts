import { audited, unrecorded } from '../audit/audited.ts';
import { channelSnapshot } from '../channels/index.ts';
import { requestScoped } from '../world.ts';
import { finishChoice, openChoice } from './choose-asset.ts';
import { exchangeCode } from './exchange-code.ts';
import { finishSetup, dialogOrigin, openSetup } from './setup-dialog.ts';
import { startOwnSetup, startSetup } from './start-setup.ts';

export const connectingUseCases = {
  ...unrecorded('on the way', {
    startSetup: requestScoped(startSetup),
    startOwnSetup: requestScoped(startOwnSetup),
    openSetup,
    finishChoice: requestScoped(finishChoice),
    finishSetup: requestScoped(finishSetup),
  }),
  ...unrecorded('reads', { dialogOrigin, openChoice }),
  exchangeCode: audited(requestScoped(exchangeCode), {
    action: 'channel.connected',
    after: (_deps, { channel }) => channelSnapshot(channel),
  }),
};
