/** `npm run outages -- --seed 7`: ten outages of Redis of 1 to 60 s over 10,000 sends, four minutes. `--longest 10` (s), `--per-second 30` for others. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    longest: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '42' },
  },
});

const child = spawn('npm', ['test', '--', 'test/storm/outages'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    REQUIRE_SERVICES: '1',
    OUTAGES_SEED: values.seed,
    OUTAGES_LONGEST_S: values.longest,
    OUTAGES_PER_SECOND: values['per-second'],
  },
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
