import type { UseCaseDeps } from '../deps.ts';
import { onBehalfOf } from '../on-behalf.ts';
import { startOwnSetup, startSetup } from './start-setup.ts';
import { openSetup } from './open-setup.ts';
import { finishSetup } from './finish-setup.ts';
import { finishChoice, openChoice } from './choose-asset.ts';
import { exchangeCode } from './exchange-code.ts';
import type { ConnectingUseCases } from './use-cases.ts';

export function bindConnecting(deps: UseCaseDeps): ConnectingUseCases {
  return {
    startSetup: (caller, request) => startSetup(onBehalfOf(deps, caller.requestId), caller, request),
    startOwnSetup: (caller, channelType) =>
      startOwnSetup(onBehalfOf(deps, caller.requestId), caller, channelType),
    dialogOrigin: (channelType) =>
      new URL(deps.upstream.dialogUrl({ channelType, redirectUri: deps.settings.baseUrl, state: '' })).origin,
    openSetup: (sessionId, token) => openSetup(deps, sessionId, token),
    openChoice: (state) => openChoice(deps, state),
    finishChoice: (state, identity, requestId) => finishChoice(onBehalfOf(deps, requestId), state, identity),
    finishSetup: (callback) => finishSetup(onBehalfOf(deps, callback.requestId), callback),
    exchangeCode: (caller, request) => exchangeCode(onBehalfOf(deps, caller.requestId), caller, request),
  };
}
