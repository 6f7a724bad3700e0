import { listRequests } from './list.ts';

export const requestUseCases = { listRequests };
