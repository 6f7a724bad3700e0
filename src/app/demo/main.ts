/** `npm run demo`: the whole product on one machine with nothing but Node. Service, simulator and receiver; then it streams. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asError } from '../../kernel/faults.ts';
import { ask } from './ask.ts';
import { connectChannels } from './connect.ts';
import { startProgram } from './programs.ts';
import type { Program } from './programs.ts';
import { startReceiver } from './receiver.ts';
import { narrate } from './narrate.ts';
import { printWalkthrough } from './walkthrough.ts';

const service = 'http://localhost:3000';
const simulator = 'http://localhost:3001';
const receiver = 'http://localhost:3002';

/** The demo retries webhooks within seconds, so that one can watch; the service's own default is the contract's ladder. */
const demoRetryDelaysMs = '1000,2000,4000,4000,4000,4000,4000';

async function main(): Promise<void> {
  process.stdout.write(
    'Trunkline demo: starting service :3000, upstream simulator :3001, webhook receiver :3002 …\n',
  );
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-demo-'));
  const programs: Program[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop()));
    await rm(dataDir, { recursive: true, force: true });
  };
  process.once('SIGINT', () => void stop().then(() => process.exit(0)));
  process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
  try {
    await run(dataDir, programs);
  } catch (error) {
    process.stderr.write(`demo: ${asError(error).message}\n`);
    await stop();
    process.exit(1);
  }
}

async function run(dataDir: string, programs: Program[]): Promise<void> {
  const secrets = new Map<string, string>();
  await startReceiver(3002, (arrival) => narrate.webhook(arrival, secrets));
  programs.push(
    startProgram('simulator', 'src/simulator/main.ts', {
      SIMULATOR_PORT: '3001',
      SIMULATOR_CALLBACK_URL: `${service}/upstream/webhooks`,
      SIMULATOR_PUBLIC_URL: simulator,
    }),
    startProgram(
      'service',
      'src/main.ts',
      {
        PORT: '3000',
        BASE_URL: service,
        DATA_DIR: dataDir,
        ADMIN_TOKEN: 'demo-admin-token-of-this-machine',
        UPSTREAM_URL: simulator,
        UPSTREAM_DIALOG_URL: simulator,
        WEBHOOK_ALLOW_INSECURE: '1',
        WEBHOOK_RETRY_DELAYS_MS: demoRetryDelaysMs,
      },
      (line) => narrate.serviceLine(line),
    ),
  );
  await Promise.all([ask.until(`${service}/readyz`), ask.until(`${simulator}/control/settings`)]);
  const connected = await connectChannels({
    service,
    simulator,
    receiver,
    adminToken: 'demo-admin-token-of-this-machine',
  });
  for (const channel of connected.channels) secrets.set(channel.id, channel.webhookSecret);
  printWalkthrough({ service, simulator, receiver, ...connected });
}

await main();
