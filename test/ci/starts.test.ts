/** [test/README.md] A helper whose service does not start rejects with what the service said, and leaves no server that keeps jest from ending. */
import { expect, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const servers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

const refused = { ENCRYPTION_KEYS: 'no key' };

test.each([
  ['World.open', () => World.open(refused)],
  ['KillableService.open', () => KillableService.open(refused)],
])('%s', async (_, open) => {
  const before = servers();
  await expect(open()).rejects.toThrow(/ENCRYPTION_KEYS/);
  await until('every server to be closed', () => servers() === before);
});
