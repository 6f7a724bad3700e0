import { onStopSignals } from '../kernel/stop-signals.ts';
import type { Settings } from './settings.ts';
import { startSimulator, type SimulatorOptions } from './server.ts';

/** The simulator as a program: options from the environment, see the README. */
const simulator = await startSimulator(optionsOf(process.env));
console.log(
  `simulator listens on ${simulator.url} (dialog: ${simulator.url}/v25.0/dialog/oauth, control: ${simulator.url}/control/world)`,
);

onStopSignals({ stop: () => void simulator.close().then(() => process.exit(0)) });

function optionsOf(env: NodeJS.ProcessEnv): SimulatorOptions {
  return {
    port: amount(env.SIMULATOR_PORT) ?? 3001,
    host: env.SIMULATOR_HOST,
    publicUrl: env.SIMULATOR_PUBLIC_URL,
    appId: env.SIMULATOR_APP_ID,
    appSecret: env.SIMULATOR_APP_SECRET,
    verifyToken: env.SIMULATOR_VERIFY_TOKEN,
    callbackUrl: env.SIMULATOR_CALLBACK_URL,
    settings: settingsOf(env),
  };
}

function settingsOf(env: NodeJS.ProcessEnv): Partial<Settings> {
  const delayMs = amount(env.SIMULATOR_STATUS_DELAY_MS);
  const reviewMs = amount(env.SIMULATOR_TEMPLATE_REVIEW_MS);
  const retries = env.SIMULATOR_WEBHOOK_RETRY_MS?.split(',').map(Number);
  return {
    ...(delayMs === undefined ? {} : { status_delay_ms: delayMs }),
    ...(reviewMs === undefined ? {} : { template_review_ms: reviewMs }),
    ...(retries === undefined ? {} : { retry_schedule_ms: retries }),
  };
}

function amount(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${text} is no number`);
  return value;
}
