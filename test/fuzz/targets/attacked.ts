/** A whole service with a channel of each type; its log lines of level error are findings. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../../src/kernel/log.ts';
import { call } from '../../support/api.ts';
import { builtService } from '../../support/built.ts';
import { adminToken, bootSimulator, environment } from '../../support/service.ts';
import type { Service, Simulator } from '../../support/service.ts';
import { laxWorld } from '../../support/upstream-app.ts';
import { newAccount, World } from '../../support/world.ts';
import type { Account, Channel } from '../../support/world.ts';

export const billingSecret = 'whsec_of_this_target';
export const appSecret = 'example-app-secret-0001';

/** The log lines of level error. */
class Defects implements Log {
  readonly lines: string[] = [];

  debug(): void {}

  info(): void {}

  warn(): void {}

  error(fields: Record<string, unknown>, event: string): void {
    const { error } = fields;
    this.lines.push(
      `${event}: ${error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(fields)}`,
    );
  }

  child(): Log {
    return this;
  }

  /** Throws if there is a line. */
  check(): void {
    const [first] = this.lines.splice(0);
    if (first !== undefined) throw new Error(`an error is logged: ${first}`);
  }
}

interface Attacked {
  world: World;
  defects: Defects;
  account: Account;
  channels: Channel[];
  close(): Promise<void>;
}

export async function openAttacked(): Promise<Attacked> {
  // The simulator shares this process, whose memory is measured: its ledgers must stay small.
  const simulator: Simulator = await bootSimulator({ ...laxWorld, ledgerLimit: 1_000 });
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-fuzz-'));
  const env = await environment(simulator.url, {
    DATA_DIR: dataDir,
    BILLING_WEBHOOK_SECRET: billingSecret,
    UPSTREAM_APP_SECRET: appSecret,
    SIGNUP: '1',
  });
  const { startApp, readSettings, systemClock } = await builtService();
  const defects = new Defects();
  const app = await startApp(readSettings(env), systemClock, defects);
  const url = `http://127.0.0.1:${env['PORT']}`;
  const headers = { authorization: `Bearer ${adminToken}` };
  const service: Service = {
    url,
    env,
    call: (method, path, options) => call(method, `${url}${path}`, options),
    admin: (method, path, body) => call(method, `${url}/admin/v1${path}`, { body, headers }),
    stop: () => app.stop(),
  };
  const world = await World.of(service, simulator);
  const account = await newAccount(service);
  const channels: Channel[] = [];
  for (const type of ['chatapp', 'photoapp', 'pagechat'] as const)
    channels.push(await world.connect(account, type));
  return {
    world,
    defects,
    account,
    channels,
    async close() {
      await world.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Throws for a status of 500 or above, except 502 and the 503 of a busy node. */
export function checkStatus(status: number, text: string): void {
  const isAllowed = status < 500 || (status === 503 && text.includes('"detail"')) || status === 502;
  if (!isAllowed) throw new Error(`it is answered ${status}: ${text.slice(0, 300)}`);
}

export async function tidied({ world }: Attacked): Promise<void> {
  world.inbox.clear();
}
