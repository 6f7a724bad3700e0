/** The app on the upstream platform as an operator of a working service has it, and what suites about something else let the simulator accept. */
import type { SimulatorOptions } from '../../src/simulator/server.ts';
import type { Service, Simulator } from './service.ts';
import { until } from './until.ts';

type Settings = NonNullable<SimulatorOptions['settings']>;

/** Review has granted access to everybody and both features, and the app is published: buttons of the dashboard. */
const reviewed: Settings = {
  app_published: true,
  app_access: 'advanced',
  app_features: ['business_asset_user_profile_access', 'human_agent'],
};

/**
 * Tests of the contract send to people of their own, who never wrote before, as fast as they can, with texts of the contract's limit.
 * Windows, rates, people and bytes have tests of their own.
 */
const aboutContract: Settings = {
  windows: false,
  rates: false,
  strict_people: false,
  text_bytes: 0,
};

/** The simulator of a world: strict, but for `aboutContract`. */
export const contractWorld: SimulatorOptions = {
  profile: 'strict',
  settings: { ...reviewed, ...aboutContract, status_delay_ms: 5 },
};

/** For suites about load, crashes, attacks and storage: a refusal of the platform would hide what they look for. */
export const laxWorld: SimulatorOptions = { profile: 'lax', settings: { status_delay_ms: 5 } };

/** Lists the service's redirect URI, and prefills the form of its callback. */
export async function operate(simulator: Simulator, service: Pick<Service, 'env' | 'url'>): Promise<void> {
  const base = service.env['BASE_URL'] ?? service.url;
  await simulator.control('settings', {
    redirect_uris: [`${base}/setup/callback`],
    callback_url: `${service.url}/upstream/webhooks`,
  });
}

const objects = { chatapp: 'whatsapp_business_account', photoapp: 'instagram', pagechat: 'page' } as const;

/** Resolves once the service has registered the app for this kind, which follows the first channel's connection. */
export async function untilRegistered(simulator: Simulator, type: keyof typeof objects): Promise<void> {
  await until(`the app's webhooks for ${type}`, async () => {
    const { subscriptions } = await simulator.control('world');
    return subscriptions.some(({ object }: { object: string }) => object === objects[type]);
  });
}
