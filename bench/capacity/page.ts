/** The plan as text: the resources and the limits to watch. */
import { tableOf } from '../report.ts';
import type { Costs } from './costs.ts';
import { busyShare, spareNodes } from './model.ts';
import type { Load, Plan } from './model.ts';

export function pageOf(load: Load, plan: Plan, costs: Costs): string {
  const { channels, liveChannels, sends, inbound, statusesPerSend, peak } = load;
  const rows = [
    [
      'nodes',
      String(plan.nodes),
      `including ${spareNodes} spare; ${cores(plan.nodeCores)} each (at most ${busyShare})`,
    ],
    ['memory per node', `${Math.ceil(plan.nodeMemoryMb)} MB`, 'resident set, with the spare nodes down'],
    [
      'Redis',
      cores(plan.redisCores),
      `${Math.ceil(plan.redisMemoryMb)} MB, ${plan.redisConnections} connections`,
    ],
    [
      'MongoDB',
      cores(plan.mongodbCores),
      `${Math.ceil(plan.mongodbWrites)} writes per second, at most ${plan.mongodbConnections} connections`,
    ],
    ['disk of MongoDB', `${Math.ceil(plan.diskGb)} GB`, `${load.logDays} days, on each member`],
  ];
  const { date, machine } = costs.measured;
  return [
    `${channels} channels (${liveChannels} live), ${sends} sends and ${inbound} inbound messages per second, ${statusesPerSend} statuses per send, at the peak ${peak} times that`,
    '',
    tableOf(['part', 'at the peak', ''], rows),
    '',
    `Costs measured ${date}, ${machine}.`,
    '',
  ].join('\n');
}

function cores(share: number): string {
  return `${share.toFixed(2)} cores`;
}
