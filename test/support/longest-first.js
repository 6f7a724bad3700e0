import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const folder = join(import.meta.dirname, '..');

/** Approximate seconds of the long files: if one started late, the run would wait for that one worker at its end. */
const seconds = new Map([
  ['storm/storm', 150],
  ['cluster-service/faults', 150],
  ['stores/mongo', 90],
  ['spec/generated-clients/generated-clients', 120],
  ['stores/mongo-faults', 90],
  ['cluster-service/takeover', 90],
  ['spec/schemathesis', 90],
  ['features/docs/docs-browser', 90],
  ['operations/compose', 80],
  ['storm/storm-node', 80],
  ['cluster-service/versions', 70],
  ['cluster-service/media', 60],
  ['storm/outages', 60],
  ['cluster-service/live-without-redis', 60],
  ['cluster-service/replay', 50],
  ['fuzz/fuzz', 70],
  ['spec/demo', 55],
  ['pages/portal-browser', 70],
  ['features/deliveries/deliveries-browser', 45],
  ['features/messages/messages-browser', 45],
  ['features/people/members-browser', 40],
  ['features/people/people-pages', 40],
  ['operations/promtool', 40],
  ['cluster-service/hostile-redis', 40],
  ['spec/send-template-look-up', 35],
  ['features/deliveries/replay-browser', 35],
  ['features/operators/operators-browser', 30],
  ['features/home/home-browser', 30],
  ['spec/every-send', 30],
  ['operations/questions', 25],
  ['operations/restore-cluster', 25],
  ['spec/media-crash', 40],
  ['spec/crash', 40],
  ['ownership/fail-over', 40],
  ['jobs/bee-queue', 40],
  ['ownership/redis-down', 30],
  ['ownership/hundred-nodes', 30],
  ['cluster-service/events', 30],
  ['features/live/catch-up', 30],
  ['simulator/chat-kinds-browser', 30],
  ['cluster-service/sentinel', 20],
  ['cluster-service/redis-user', 20],
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
