import { homeOverview } from './overview.ts';

export const homeUseCases = { homeOverview };
