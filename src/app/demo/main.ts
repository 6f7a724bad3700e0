/** `npm run demo`: service, simulator and receiver on one machine with nothing but Node; then it prints what happens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asError } from '../../kernel/faults.ts';
import { onStopSignals } from '../../kernel/stop-signals.ts';
import { oldNodeProblem } from '../../kernel/node-version.ts';
import { ask } from './ask.ts';
import { connectChannels } from './connect.ts';
import { liveFirstDay } from './first-day.ts';
import { startProgram, demoUrls } from './programs.ts';
import type { Program, DemoUrls } from './programs.ts';
import { crmPath, startReceiver } from './receiver.ts';
import { narrate } from './narrate.ts';
import { firstTaken } from './ports.ts';
import { operateApp, untilRegistered } from './operate.ts';
import { addTemplates } from './templates.ts';
import { printWalkthrough } from './walkthrough.ts';

const adminToken = 'demo-admin-token-of-this-machine';

/** The demo retries webhooks within seconds, so that one can watch; the service's default is the contract's schedule. */
const demoRetryDelaysMs = '1000,2000,4000,4000,4000,4000,4000';

async function main(): Promise<void> {
  const problem = oldNodeProblem();
  if (problem !== null) return refused(problem);
  try {
    await start(demoUrls(process.env['DEMO_PORT']));
  } catch (error) {
    refused(asError(error).message);
  }
}

function refused(why: string): void {
  process.stderr.write(`demo: ${why}\n`);
  process.exitCode = 1;
}

/** Throws an Error with a sentence for the person when one of the ports is in use. */
async function start(places: DemoUrls): Promise<void> {
  const { ports } = places;
  const taken = await firstTaken(Object.values(ports));
  if (taken !== null) {
    const three = Object.values(ports).join(', ');
    throw new Error(`port ${taken} is in use; the demo needs ${three}: DEMO_PORT names another first one`);
  }
  process.stdout.write(
    `Trunkline demo: starting service :${ports.service}, upstream simulator :${ports.simulator}, webhook receiver :${ports.receiver} …\n`,
  );
  const programs: Program[] = [];
  let dataDir = '';
  let ending: Promise<void> | undefined;
  // Ctrl-C reaches the child processes too, and their exit reaches us: whichever comes first ends the demo, once.
  const end = (exitCode: number): Promise<void> =>
    (ending ??= stop(programs, dataDir).then(() => process.exit(exitCode)));
  onStopSignals({ stop: () => void end(0), beforeEnd: () => killAll(programs, dataDir) });
  try {
    // Synchronous: a signal must find either no folder or one whose name is known.
    dataDir = mkdtempSync(join(tmpdir(), 'trunkline-demo-'));
    const isEnding = (): boolean => ending !== undefined;
    await run(places, dataDir, programs, { isEnding, onEnd: () => void end(1) });
  } catch (error) {
    if (ending === undefined) process.stderr.write(`demo: ${asError(error).message}\n`);
    await end(1);
  }
}

/** Stops the service first: its calls under way need the simulator. */
async function stop(programs: readonly Program[], dataDir: string): Promise<void> {
  for (const program of programs.toReversed()) await program.stop();
  if (dataDir !== '') await rm(dataDir, { recursive: true, force: true });
}

function killAll(programs: readonly Program[], dataDir: string): void {
  for (const program of programs) program.kill();
  if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true });
}

interface ProgramEnds {
  isEnding: () => boolean;
  onEnd: () => void;
}

async function run(
  places: DemoUrls,
  dataDir: string,
  programs: Program[],
  { isEnding, onEnd }: ProgramEnds,
): Promise<void> {
  const { service, simulator, receiver } = places;
  const secrets = new Map<string, string>();
  let isTold = false;
  await startReceiver(places.ports.receiver, (arrival) => {
    if (isTold) narrate.webhook(arrival, secrets);
  });
  if (isEnding()) return;
  programs.push(...startPrograms(places, dataDir, { isEnding, onEnd }));
  await Promise.all([ask.until(`${service}/readyz`), ask.until(`${simulator}/control/settings`)]);
  await operateApp({ service, simulator, receiver });
  await addTemplates(simulator);
  const connected = await connectChannels({ service, simulator, receiver, adminToken });
  for (const channel of connected.channels) secrets.set(channel.id, channel.webhookSecret);
  secrets.set(crmPath, connected.endpointSecret);
  await untilRegistered({ service, simulator, receiver });
  await liveFirstDay(places, connected);
  printWalkthrough({ service, simulator, receiver, ...connected });
  isTold = true;
}

function startPrograms(
  { ports, service, simulator }: DemoUrls,
  dataDir: string,
  ends: ProgramEnds,
): Program[] {
  return [
    startProgram(
      'simulator',
      'simulator/main',
      {
        SIMULATOR_PORT: String(ports.simulator),
        SIMULATOR_PUBLIC_URL: simulator,
      },
      ends,
    ),
    startProgram(
      'service',
      'main',
      {
        PORT: String(ports.service),
        BASE_URL: service,
        DATA_DIR: dataDir,
        ADMIN_TOKEN: adminToken,
        UPSTREAM_URL: simulator,
        UPSTREAM_DIALOG_URL: simulator,
        WEBHOOK_ALLOW_INSECURE: '1',
        WEBHOOK_RETRY_DELAYS_MS: demoRetryDelaysMs,
      },
      { ...ends, onLine: (line) => narrate.serviceLine(line) },
    ),
  ];
}

await main();
