import { requestScoped } from '../world.ts';
import { finishChoice, openChoice } from './choose-asset.ts';
import { exchangeCode } from './exchange-code.ts';
import { finishSetup, dialogOrigin, openSetup } from './setup-dialog.ts';
import { startOwnSetup, startSetup } from './start-setup.ts';

export const connectingUseCases = {
  startSetup: requestScoped(startSetup),
  startOwnSetup: requestScoped(startOwnSetup),
  openSetup,
  finishChoice: requestScoped(finishChoice),
  finishSetup: requestScoped(finishSetup),
  dialogOrigin,
  openChoice,
  exchangeCode: requestScoped(exchangeCode),
};
