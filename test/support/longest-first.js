import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const folder = join(import.meta.dirname, '..');

/** Approximate seconds of the long files: if one started late, the run would wait for that one worker at its end. */
const seconds = new Map([
  ['cluster-service/faults', 185],
  ['stores/mongo', 130],
  ['operations/compose', 130],
  ['fuzz/fuzz', 120],
  ['cluster-service/takeover', 115],
  ['storm/outages', 115],
  ['storm/storm', 100],
  ['stores/mongo-faults', 100],
  ['features/docs/docs-browser', 85],
  ['features/deliveries/deliveries-browser', 80],
  ['storm/storm-node', 75],
  ['spec/generated-clients/generated-clients', 65],
  ['cluster-service/media', 65],
  ['pages/portal-browser', 60],
  ['spec/media-crash', 60],
  ['cluster-service/sentinel', 60],
  ['jobs/bee-queue', 55],
  ['spec/crash', 55],
  ['operations/questions', 55],
  ['operations/restore-cluster', 55],
  ['hostile/full-volume', 55],
  ['stores/embedded/crash', 55],
  ['ownership/fail-over', 50],
  ['cluster-service/events', 50],
  ['cluster-service/races', 50],
  ['pages/page-limits-long', 50],
  ['reports/connecting', 45],
  ['ownership/redis-down', 45],
  ['features/home/home-browser', 45],
  ['features/docs/verify', 45],
  ['cluster-service/drain', 40],
  ['spec/app-secret', 35],
  ['spec/demo', 35],
  ['features/people/people', 35],
  ['http/raw-sockets', 35],
  ['spec/clock-steps', 35],
  ['cluster-service/redis-user', 35],
  ['spec/every-send', 30],
  ['stores/embedded', 25],
  ['features/messages/messages-browser', 30],
  ['cluster-service/versions', 30],
  ['ownership/hundred-nodes', 30],
  ['cluster-service/hostile-redis', 30],
  ['cluster-service/every-send', 30],
  ['hostile/floods', 30],
  ['cluster-service/unreachable', 30],
  ['model/protocol-long', 60],
  ['model/protocol', 15],
  ['stores/look-ups', 30],
  ['operations/promtool', 25],
  ['spec/send-template-look-up', 25],
  ['spec/every-send-crash', 25],
  ['spec/send-queued', 25],
  ['cluster-service/replay', 25],
  ['spec/tenancy', 25],
  ['ownership/lease', 25],
  ['hostile/bodies', 25],
  ['operations/backup', 25],
  ['features/live/live-browser', 25],
  ['pages/page', 25],
  ['spec/openapi', 20],
  ['simulator/chat-kinds-browser', 20],
  ['spec/lost-store', 20],
  ['simulator/python', 20],
  ['spec/inbound', 20],
  ['ownership/cluster', 20],
  ['ownership/moves', 20],
  ['features/operators/channels-troubled-long', 20],
  ['stores/mongo-waited-out', 20],
  ['stores/embedded/checkpoints', 20],
  ['spec/check-upstream', 20],
  ['spec/schemathesis', 20],
  ['cluster-service/live-without-redis', 20],
  ['features/people/members-browser', 20],
  ['features/people/people-pages', 20],
  ['features/deliveries/replay-browser', 20],
  ['features/operators/operators-browser', 20],
  ['features/live/catch-up', 20],
  ['http/every-route', 20],
  ['pages/page-sizes', 20],
  ['stores/embedded/vacuum-long', 20],
  ['media/fetcher', 15],
  ['pages/hostile', 15],
  ['spec/pace', 15],
  ['spec/limits', 15],
  ['spec/echoes', 15],
  ['spec/send-template-parts', 15],
  ['spec/app-webhooks', 15],
  ['actors/backlog-long', 15],
  ['actors/bounds', 10],
  ['spec/templates', 10],
  ['spec/webhook-retry', 10],
  ['pages/tenancy', 10],
  ['features/mails/mailer', 10],
  ['spec/every-send-throttled', 10],
  ['spec/changes', 10],
]);
const secondsOfOthers = 3;

for (const name of seconds.keys())
  if (!existsSync(join(folder, `${name}.test.ts`)))
    throw new Error(`longest-first.js lists test/${name}.test.ts, which does not exist`);

/** Files that start several nodes load the CPU: this many other files are started between two of them. */
const apart = 12;
const ofNodes = /^(cluster-service\/|operations\/(compose|questions|restore-cluster)$)/;

const nameOf = ({ path }) => relative(folder, path).replace(/\.test\.ts$/, '');

/** Orders failed files first, then the longest first: by jest's measurements on this machine, else by the list above. */
export default class LongestFirst extends TestSequencer {
  time(test) {
    return super.time(test) ?? 1_000 * (seconds.get(nameOf(test)) ?? secondsOfOthers);
  }

  sort(tests) {
    for (const test of tests) test.duration = this.time(test);
    const sorted = tests.toSorted(
      (a, b) => Number(this.hasFailed(b)) - Number(this.hasFailed(a)) || b.duration - a.duration,
    );
    const crowds = sorted.filter((test) => ofNodes.test(nameOf(test)));
    const others = sorted.filter((test) => !ofNodes.test(nameOf(test)));
    const begun = crowds.flatMap((test, index) => [
      test,
      ...others.slice(index * apart, (index + 1) * apart),
    ]);
    return [...begun, ...others.slice(crowds.length * apart)];
  }
}
