import type { Request } from 'express';
import { GraphError } from './graph-error.ts';
import { withoutVersion } from './graph-version.ts';
import type { Waba } from './model.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
/** An account with a registered number may call so many times more often: 5000 for 200. */
const registeredTimes = 25;
/** Sends and files have limits of their own. */
const otherEdges = new Set(['messages', 'media']);

/** Counts a management call of a business account; throws GraphError 80008 beyond its limit per hour [upstream protocol 3.8]. */
export function countManagementCall(world: World, req: Request): void {
  const { management_calls_per_hour: limit } = world.settings;
  const [, id = '', edge = ''] = withoutVersion(req.path).split('/');
  const waba = limit === 0 || otherEdges.has(edge) ? undefined : wabaOf(world, id);
  if (waba === undefined) return;
  const now = world.now();
  waba.managed = waba.managed.filter((at) => now - at < hourMs);
  const isRegistered = waba.phones.some(({ registered }) => registered);
  if (waba.managed.length >= limit * (isRegistered ? registeredTimes : 1)) {
    const [oldest = now] = waba.managed;
    const regainMinutes = Math.ceil((oldest + hourMs - now) / 60_000);
    throw new GraphError({ code: 80008, isTransient: true, regainMinutes, usageId: waba.businessId });
  }
  waba.managed.push(now);
}

function wabaOf(world: World, id: string): Waba | undefined {
  const node = world.nodes.get(id);
  if (node?.type === 'waba') return node;
  return node?.type === 'phone' || node?.type === 'template' ? node.waba : undefined;
}
