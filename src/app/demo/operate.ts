/** What an operator does at the platform before people connect: the simulator's app is as strict as a real one. */
import { ask } from './ask.ts';
import type { Places } from './programs.ts';

/** Publishes the app after its review, and lists where the dialog may return to. */
export async function operateApp({ service, simulator }: Places): Promise<void> {
  await ask.post(`${simulator}/control/settings`, {
    app_published: true,
    app_access: 'advanced',
    app_features: ['business_asset_user_profile_access'],
    redirect_uris: [`${service}/setup/callback`],
  });
}

const objects = ['whatsapp_business_account', 'instagram', 'page'];

/** Resolves once the service has registered the app's webhooks, which it does when the first channel of a kind is connected. */
export async function untilRegistered({ simulator }: Places): Promise<void> {
  const subscribed = async (): Promise<boolean> => {
    const { subscriptions } = Object(await ask.get(`${simulator}/control/world`));
    return objects.every((object) =>
      subscriptions.some((subscription: { object: string }) => subscription.object === object),
    );
  };
  await ask.untilTrue("the app's webhooks", subscribed);
}
