/** What other features call. */
export { accountSnapshot } from './snapshot.ts';
