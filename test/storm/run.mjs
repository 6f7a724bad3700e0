/**
 * `npm run storm -- --minutes 10 --seed 7 --on cluster`: one storm. With `--seeds 30`, as many, each under the next seed. With `--shrink` a
 * storm that fails is run again with fewer and fewer of its steps, until none can be left out.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    seeds: { type: 'string', default: '1' },
    on: { type: 'string', default: 'both' },
    shrink: { type: 'boolean', default: false },
  },
});

/** One after the other when both are asked for. */
const files = { both: 'test/storm/storm', cluster: 'test/storm/storm.test', node: 'test/storm/storm-node' };

/** Resolves with whether it was kept, and how many steps it took. */
function storm(seed, { steps = null, skip = [] } = {}) {
  const child = spawn('npm', ['test', '--', '-w', '1', files[values.on]], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      REQUIRE_SERVICES: '1', // what was skipped kept nothing
      STORM_MINUTES: values.minutes,
      STORM_SEED: String(seed),
      ...(steps === null ? {} : { STORM_STEPS: String(steps) }),
      STORM_SKIP: skip.join(','),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
      process.stdout.write(chunk);
    });
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      const taken = [...said.matchAll(/storm, seed \d+, up to step (\d+)/g)].map(([, n]) => Number(n));
      resolve({ isKept: code === 0, steps: Math.max(0, ...taken) });
    });
  });
}

/** Leaves out halves, quarters, … of the steps as long as the storm still fails. */
async function shrunk(seed, steps) {
  let left = Array.from({ length: steps }, (_, index) => index + 1);
  const without = (some) => left.filter((step) => !some.includes(step));
  const skipped = (kept) =>
    Array.from({ length: steps }, (_, i) => i + 1).filter((step) => !kept.includes(step));
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < left.length;) {
      const fewer = without(left.slice(at, at + size));
      const { isKept } = await storm(seed, { steps, skip: skipped(fewer) });
      if (isKept) at += size;
      else left = fewer;
    }
  return left;
}

const failed = [];
for (let n = 0; n < Number(values.seeds); n += 1) {
  const seed = Number(values.seed) + n;
  const { isKept, steps } = await storm(seed);
  if (isKept) continue;
  failed.push(seed);
  if (values.shrink)
    console.log(`seed ${seed} fails with steps ${(await shrunk(seed, steps)).join(', ')} alone`);
}
console.log(failed.length === 0 ? `${values.seeds} kept` : `failed: seeds ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
