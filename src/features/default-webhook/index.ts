/** What other features call. */
export { changesReceiver, startingSettings } from './service.ts';
