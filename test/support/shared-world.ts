import { afterAll, beforeAll } from '@jest/globals';
import { contractWorld } from './upstream-app.ts';
import { World } from './world.ts';

/** The world that the tests of a file share: opened before them with these settings over the defaults, closed after them. Use it inside tests and hooks only. */
export function sharedWorld(settings: Record<string, string> = {}, upstream = contractWorld): World {
  const world: World = Object.create(World.prototype);
  let opened: World | undefined;
  beforeAll(async () => {
    opened = await World.open(settings, upstream);
    Object.assign(world, opened);
  });
  afterAll(() => opened?.close());
  return world;
}
