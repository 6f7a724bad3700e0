import { openMedia } from './open.ts';

export const mediaUseCases = { openMedia };
