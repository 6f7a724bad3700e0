import { afterAll, beforeAll } from '@jest/globals';
import { World } from './world.ts';

/** The world of a file's tests: opened before them, with these settings over the usual ones, and closed behind them. */
export function sharedWorld(settings: Record<string, string> = {}): World {
  const world: World = Object.create(World.prototype);
  let opened: World | undefined;
  beforeAll(async () => {
    opened = await World.open(settings);
    Object.assign(world, opened);
  });
  afterAll(() => opened?.close());
  return world;
}
