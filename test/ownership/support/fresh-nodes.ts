import { afterEach, beforeEach } from '@jest/globals';
import { RedisServer } from '../../support/redis-server.ts';
import { Nodes } from './nodes.ts';

/** Gives each test nodes over a Redis of their own. */
export function freshNodes(take: (nodes: Nodes, redis: RedisServer) => void): void {
  let redis: RedisServer;
  let nodes: Nodes;

  beforeEach(async () => {
    redis = await RedisServer.start();
    nodes = new Nodes(redis);
    take(nodes, redis);
  });

  afterEach(async () => {
    await nodes.close();
    await redis.stop();
  }, 90_000);
}
