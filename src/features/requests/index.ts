/** What other features call. */
export { listRequests } from './list-requests.ts';
