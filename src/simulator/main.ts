import { onStopSignals } from '../kernel/stop-signals.ts';
import type { Profile, Settings } from './settings.ts';
import { startSimulator, type SimulatorOptions } from './server.ts';

class WrongVariable extends Error {}

/** Runs the simulator as a program, with options from the environment; see the README. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const simulator = await startSimulator(optionsOf(env));
  console.log(
    `simulator listens on ${simulator.url} (dialog: ${simulator.url}/v25.0/dialog/oauth, control: ${simulator.url}/control/world)`,
  );
  onStopSignals({ stop: () => void simulator.close().then(() => process.exit(0)) });
}

function optionsOf(env: NodeJS.ProcessEnv): SimulatorOptions {
  return {
    port: amount(env, 'SIMULATOR_PORT') ?? 3001,
    host: env.SIMULATOR_HOST,
    publicUrl: env.SIMULATOR_PUBLIC_URL,
    appId: env.SIMULATOR_APP_ID,
    appSecret: env.SIMULATOR_APP_SECRET,
    verifyToken: env.SIMULATOR_VERIFY_TOKEN,
    callbackUrl: env.SIMULATOR_CALLBACK_URL,
    profile: profileOf(env),
    settings: settingsOf(env),
  };
}

function profileOf({ SIMULATOR_PROFILE: name = '' }: NodeJS.ProcessEnv): Profile | undefined {
  if (name === '' || name === 'lax' || name === 'strict') return name === '' ? undefined : name;
  throw new WrongVariable('SIMULATOR_PROFILE must be strict or lax');
}

function settingsOf(env: NodeJS.ProcessEnv): Partial<Settings> {
  const delayMs = amount(env, 'SIMULATOR_STATUS_DELAY_MS');
  const reviewMs = amount(env, 'SIMULATOR_TEMPLATE_REVIEW_MS');
  const retries = amounts(env, 'SIMULATOR_WEBHOOK_RETRY_MS');
  return {
    ...(delayMs === undefined ? {} : { status_delay_ms: delayMs }),
    ...(reviewMs === undefined ? {} : { template_review_ms: reviewMs }),
    ...(retries === undefined ? {} : { retry_schedule_ms: retries }),
  };
}

function amount(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const [first, ...others] = amounts(env, name) ?? [];
  if (others.length > 0) throw new WrongVariable(`${name} must be one number that is not negative`);
  return first;
}

/** Undefined: the variable is unset or empty. */
function amounts(env: NodeJS.ProcessEnv, name: string): number[] | undefined {
  const text = env[name] ?? '';
  if (text === '') return undefined;
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => /^\d+(\.\d+)?$/.test(part)))
    throw new WrongVariable(`${name} must be made of numbers that are not negative`);
  return parts.map(Number);
}

main(process.env).catch((thrown: unknown) => {
  if (!(thrown instanceof WrongVariable)) throw thrown;
  process.stderr.write(`simulator: ${thrown.message}\n`);
  process.exit(1);
});
