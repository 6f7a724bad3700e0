import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Addresses of the demo's three programs. */
export interface Places {
  service: string;
  simulator: string;
  receiver: string;
}

/** The service listens at `DEMO_PORT`, the others on the two ports after it. */
export interface DemoUrls extends Places {
  ports: { service: number; simulator: number; receiver: number };
}

const defaultPort = 3000;

/** Throws an Error with a sentence for the person when `DEMO_PORT` is no port, or has no two ports after it. */
export function demoUrls(port: string | undefined): DemoUrls {
  const first = port === undefined || port === '' ? defaultPort : Number(port);
  if (!Number.isInteger(first) || first < 1 || first > 65_533)
    throw new Error(`DEMO_PORT must be a whole number from 1 to 65533; it is ${port}`);
  const ports = { service: first, simulator: first + 1, receiver: first + 2 };
  return {
    ports,
    service: `http://localhost:${ports.service}`,
    simulator: `http://localhost:${ports.simulator}`,
    receiver: `http://localhost:${ports.receiver}`,
  };
}

export interface Program {
  stop(): Promise<void>;
  /** Kills the process at once. */
  kill(): void;
}

/** A draining service takes DRAIN_TIMEOUT_MS and a little more; after this time it is killed. */
const maxStopMs = 15_000;

// Sources run with tsx, a build as it is.
const isSource = import.meta.url.endsWith('.ts');
const root = new URL('../../', import.meta.url);

interface ProgramOptions {
  isEnding: () => boolean;
  onLine?: (line: string) => void;
  /** It has ended while the demo has not. */
  onEnd: () => void;
}

/**
 * Runs one of our programs as a child process; passes its output lines to `onLine` and its errors to our stderr. `file`: path below `src`, without extension.
 */
export function startProgram(
  name: string,
  file: string,
  environment: Record<string, string>,
  { isEnding, onLine = () => undefined, onEnd }: ProgramOptions,
): Program {
  const path = fileURLToPath(new URL(`${file}${isSource ? '.ts' : '.js'}`, root));
  const child = spawn(process.execPath, isSource ? ['--import', 'tsx', path] : [path], {
    env: { ...inherited(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', (line) => process.stderr.write(`${name}: ${line}\n`));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('exit', (code) => {
    // A signal to the process group also reaches the child.
    if (isEnding()) return;
    process.stderr.write(`demo: the ${name} has stopped (exit code ${code})\n`);
    onEnd();
  });
  return {
    async stop() {
      const killTimer = setTimeout(() => child.kill('SIGKILL'), maxStopMs);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(killTimer);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Variables that a child process needs to run at all; none of the caller's own configuration reaches the demo. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}
