/** What other features call. */
export { choseNone } from './choose-asset.ts';
export { exchangeCode } from './exchange-code.ts';
export { keepSelected } from './pages/choose.tsx';
export { dialogOrigin } from './setup-dialog.ts';
export { startOwnSetup } from './start-setup.ts';
