import { dayMs } from '../../../src/kernel/clock.ts';
import type { HomeOverview } from '../../../src/features/home/service.ts';
import type { HomeSpan } from '../../../src/features/home/history.ts';
import type { Caller } from '../../../src/rules/caller.ts';
import type { Service } from './service.ts';

/** Home as its caller sees it whose day begins at midnight UTC. */
export function homeOf(
  { clock, features }: Pick<Service, 'clock' | 'features'>,
  caller: Caller,
  span: HomeSpan = '24h',
): Promise<HomeOverview> {
  const now = clock.now();
  return features.homeOverview(caller, span, now - (now % dayMs));
}
