/** Templates of a chatapp channel: upstream's, and the calls about them. */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Template, TemplateOwner } from '../../../src/rules/templates/template.ts';
import type { UpstreamTemplate } from '../../../src/upstream/template-calls.ts';
import type { TemplateList, TemplateQuery } from '../../../src/features/templates/types.ts';
import { assetOf } from './outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connected, newIdentity, newTenant } from './service.ts';
import type { Service, Tenant } from './service.ts';

export const components = [{ type: 'BODY' as const, text: 'Ready.' }];

export function upstreamTemplate(over: Partial<UpstreamTemplate> = {}): UpstreamTemplate {
  return {
    upstreamId: '10',
    name: 'order_ready',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components,
    parameterFormat: 'positional',
    quality: null,
    rejectedReason: null,
    ...over,
  };
}

export const draft = (over: { name?: string; language?: string } = {}) => ({
  name: 'order_ready',
  language: 'de',
  category: 'UTILITY' as const,
  parameterFormat: 'positional' as const,
  components,
  ...over,
});

/** An account with a chatapp channel, whose licence does not end. */
export class TemplateTenant {
  readonly service: Service;
  readonly tenant: Tenant;
  readonly channel: Channel;
  readonly owner: TemplateOwner;

  constructor(service: Service, tenant: Tenant, channel: Channel) {
    [this.service, this.tenant, this.channel] = [service, tenant, channel];
    this.owner = { accountId: tenant.accountId, businessAccountId: channel.subscribedAsset ?? '' };
  }

  upstreamHas(...listed: UpstreamTemplate[]): void {
    this.service.upstreamTemplates.listed.set(this.owner.businessAccountId, listed);
  }

  list(query: Partial<TemplateQuery> = {}): Promise<TemplateList> {
    const asked = { sync: false, status: null, page: everything, ...query };
    return this.service.features.listTemplates(this.tenant, this.channel.id, asked);
  }

  /** Upstream's templates after a synchronization. */
  async listed(...all: Partial<UpstreamTemplate>[]): Promise<Template[]> {
    this.upstreamHas(...all.map((over, n) => upstreamTemplate({ upstreamId: `1${n}`, ...over })));
    // A change at the same moment as a list is newer than the list.
    this.service.clock.pass(1);
    const { page } = await this.list({ sync: true });
    this.service.upstreamTemplates.asked.length = 0;
    return page.items;
  }

  async theFirst(over: Partial<UpstreamTemplate> = {}): Promise<Template> {
    const [first] = await this.listed(over);
    if (first === undefined) throw new Error('no template was listed');
    return first;
  }

  create(over: Parameters<typeof draft>[0] = {}, of = this.channel): Promise<Template> {
    return this.service.features.createTemplate(this.tenant, of.id, draft(over));
  }

  async edit(
    id: string,
    over: { category?: 'UTILITY' | 'MARKETING' | null; text?: string } = {},
  ): Promise<Template> {
    const { category = null, text = 'Ready now.' } = over;
    const change = { category, components: [{ type: 'BODY' as const, text }] };
    return this.service.features.updateTemplate(this.tenant, this.channel.id, id, change);
  }

  async remove(id: string, allLanguages = false): Promise<void> {
    await this.service.features.deleteTemplate(this.tenant, this.channel.id, id, { allLanguages });
  }

  async known(): Promise<Template[]> {
    return (await this.service.stores.templates.list(this.owner, null, everything)).items;
  }

  /** The time of the next synchronization. */
  async dueAt(): Promise<number | null | undefined> {
    return (await this.service.stores.templates.sync(this.owner))?.dueAt;
  }
}

const year = 365 * 86_400_000;

/** A channel whose upstream works and was not called yet. `businessAccountId`: its own unless given. */
export async function templateTenant(service: Service, businessAccountId?: string): Promise<TemplateTenant> {
  const { upstreamTemplates, features } = service;
  upstreamTemplates.failure = null;
  upstreamTemplates.beforeAnswer = async () => undefined;
  upstreamTemplates.createdStatus = 'PENDING';
  const tenant = await newTenant(service);
  const on = businessAccountId === undefined ? {} : { businessAccountId };
  const { channel } = await connected(service, tenant, assetOf('chatapp', newIdentity(), on));
  await features.updateSubscription(tenant.subscriptionId, { expiresAt: service.clock.now() + year });
  upstreamTemplates.asked.length = 0;
  service.told.length = 0;
  return new TemplateTenant(service, tenant, channel);
}
