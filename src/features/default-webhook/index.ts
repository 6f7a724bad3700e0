/** What other features call. */
export { startingSettings } from './service.ts';
