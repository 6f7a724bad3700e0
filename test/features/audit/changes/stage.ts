/** A service with its whole HTTP door, an account with everything that a route changes, and somebody of each kind who changes it. */
import { TOTP } from 'otpauth';
import { offerStep, startStep } from '../../../../src/features/people/change-second-step.ts';
import type { AuditEntry } from '../../../../src/features/audit/entity.ts';
import { sealContext } from '../../../../src/kernel/sealed.ts';
import { hashSecret, newId, newSecret } from '../../../../src/kernel/ids.ts';
import { everything } from '../../../../src/kernel/paging.ts';
import type { Channel } from '../../../../src/rules/channels/channel.ts';
import type { ChannelType } from '../../../../src/rules/vocabulary.ts';
import type { Pass } from '../../../../src/rules/person.ts';
import type { Template } from '../../../../src/rules/templates/template.ts';
import { adminToken, serve } from '../../../http/support.ts';
import type { Running } from '../../../http/support.ts';
import { optionsIn } from '../../../http/house.ts';
import { Operator, Visitor } from '../../../pages/visitor.ts';
import { keptDelivery } from '../../support/deliveries.ts';
import { password, tokenOf } from '../../support/people.ts';
import { connectedChannel, newLicence, openService } from '../../support/service.ts';
import type { Service, Tenant } from '../../support/service.ts';
import { TemplateTenant } from '../../support/templates.ts';
import { aMail, aPass } from '../../../stores/conformance/samples.ts';

type Person = NonNullable<Awaited<ReturnType<Service['features']['visitor']>>>;

export class Stage {
  readonly service: Service;
  readonly running: Running;
  /** The account's owner at the portal. */
  readonly owner: Visitor;
  readonly person: Person;
  /** The account, with a key. */
  readonly tenant: Tenant;
  readonly operator: Operator;

  static async open(): Promise<Stage> {
    const service = await openService();
    const { features, clock } = service;
    const running = await serve(
      optionsIn(service, { clock, baseUrl: 'http://service.example', allowInsecure: true }),
    );
    const made = await signedUp(service, running, 'owner@example.com');
    const { accountId } = made.person.caller;
    const key = await features.addKey(made.person.caller, 'shop', {});
    const { items } = await features.listSubscriptions({ accountId }, everything);
    const tenant = { accountId, ...key, subscriptionId: items[0]?.subscription.id ?? '' };
    await features.addRedirect(tenant, 'https://app.example.com/*');
    const operator = new Operator(placeOf(running));
    await operator.ask('/operators/enter');
    await operator.post('/operators/enter', { token: adminToken });
    return new Stage({ service, running, tenant, operator, owner: made.visitor, person: made.person });
  }

  private constructor(of: Pick<Stage, 'service' | 'running' | 'owner' | 'person' | 'tenant' | 'operator'>) {
    this.service = of.service;
    this.running = of.running;
    this.owner = of.owner;
    this.person = of.person;
    this.tenant = of.tenant;
    this.operator = of.operator;
  }

  async close(): Promise<void> {
    await this.running.stop();
    await this.service.close();
  }

  stranger(): Visitor {
    return new Visitor(placeOf(this.running));
  }

  strangeOperator(): Operator {
    return new Operator(placeOf(this.running));
  }

  async entries(): Promise<AuditEntry[]> {
    return (await this.service.stores.audit.list({}, everything)).items;
  }

  /** A channel on a licence of its own. */
  async channel(channelType: ChannelType = 'pagechat'): Promise<Channel> {
    await newLicence(this.service, this.tenant);
    return connectedChannel(this.service, this.tenant, channelType);
  }

  async delivery(): Promise<{ channel_id: string; delivery_id: string }> {
    const { id } = await this.channel();
    const webhook = { webhookUrl: 'https://app.example.com/in', webhookEvents: ['message.received'] };
    const asked = { ...webhook, failedRetentionDays: 7 };
    const { channel } = await this.service.features.updateChannel(this.tenant, id, asked);
    return { channel_id: id, delivery_id: (await keptDelivery(this.service, channel, 1)).id };
  }

  async template(): Promise<{ template: Template; channel_id: string; template_id: string }> {
    const channel = await this.channel('chatapp');
    const template = await new TemplateTenant(this.service, this.tenant, channel).theFirst();
    return { template, channel_id: channel.id, template_id: template.id };
  }

  async endpoint(): Promise<{ channel_id: string; endpoint_id: string }> {
    const { id: channel_id } = await this.channel();
    const given = { url: 'https://crm.example/in', events: ['message.read'] };
    const { endpoint } = await this.service.features.addEndpoint(this.tenant, channel_id, given);
    return { channel_id, endpoint_id: endpoint.id };
  }

  async redirect(): Promise<{ id: string; pattern: string }> {
    const pattern = `https://${newId()}.example.com/done`;
    return { id: (await this.service.features.addRedirect(this.tenant, pattern)).id, pattern };
  }

  /** A person who is invited, and has not joined. */
  async invited(): Promise<{ id: string; email: string }> {
    const email = `${newId()}@example.com`;
    this.service.clock.pass(120_000); // invitations are limited, and the operator's session lasts an hour
    return { id: (await this.service.features.invite(this.person, { email, role: 'viewer' })).id, email };
  }

  async invitationToken(personId: string): Promise<string> {
    return tokenOf((await this.service.features.makeInvitationLink(personId)).link);
  }

  /** A person who has joined, signed in. */
  async member(): Promise<{ id: string; email: string; visitor: Visitor }> {
    const { id, email } = await this.invited();
    const asked = { token: await this.invitationToken(id), password };
    const joined = await this.service.features.acceptInvitation(asked);
    return { id, email, visitor: signedIn(this.running, joined?.secret ?? '') };
  }

  /** Another account, whose owner is signed in. */
  other(): Promise<{ person: Person; visitor: Visitor }> {
    return signedUp(this.service, this.running, `${newId()}@example.com`);
  }

  /** A person who signs in with two steps. */
  async withSecondStep(): Promise<{ person: Person; visitor: Visitor }> {
    const other = await this.other();
    const { world, clock } = this.service;
    const { offer, secret } = offerStep(world, other.person, null);
    const code = new TOTP({ secret }).generate({ timestamp: clock.now() });
    await startStep(world, other.person, { offer, code, password, address: '192.0.2.1' });
    return other;
  }

  /** One more session of the person. */
  async session({ personId }: Pick<Person, 'personId'>): Promise<Pass> {
    const now = this.service.clock.now();
    const { passwordVersion = '' } = (await this.service.stores.people.byId(personId)) ?? {};
    const origin = { address: '192.0.2.1', agent: 'Firefox on Linux' };
    const pass = aPass({ personId, passwordVersion, createdAt: now, expiresAt: now + 60_000, ...origin });
    await this.service.stores.passes.insert(pass);
    return pass;
  }

  /** A link that confirms the person's address. */
  async confirmation({ personId }: Pick<Person, 'personId'>): Promise<string> {
    const [secret, createdAt] = [newSecret(), this.service.clock.now()];
    const { passwordVersion = '' } = (await this.service.stores.people.byId(personId)) ?? {};
    const pass = { id: hashSecret(secret), personId, kind: 'confirm', passwordVersion } as const;
    await this.service.stores.passes.insert(aPass({ ...pass, createdAt, expiresAt: createdAt + 60_000 }));
    return secret;
  }

  async mail(): Promise<string> {
    const { accountId } = this.tenant;
    const now = this.service.clock.now();
    const mail = aMail({ accountId, kind: 'invite', sendAfter: now, createdAt: now });
    await this.service.stores.mails.add(mail);
    return mail.id;
  }

  /** What the log shows of it stands in `asideShown`. */
  async aside(): Promise<{ id: string; channelId: string }> {
    const [id, channelId] = [newId(), newId()];
    const { sealer, stores } = this.service;
    const about = { reason: 'ended_node', channelType: 'pagechat', identity: '1', kind: 'facts' } as const;
    const seen = { shape: 'x', times: 2, createdAt: 1, lastSeenAt: 7 };
    const sealed = sealer.sealText('[]', sealContext.quarantined(channelId, id));
    const { accountId } = this.tenant;
    await stores.quarantine.add([{ id, channelId, accountId, ...about, ...seen, sealed }]);
    return { id, channelId };
  }
}

export const asideShown = (channelId: string) => ({
  reason: 'ended_node',
  kind: 'facts',
  channel_id: channelId,
  times: 2,
});

const placeOf = ({ port }: Running) => ({ service: { url: `http://127.0.0.1:${port}` } });

function signedIn(running: Running, secret: string): Visitor {
  const visitor = new Visitor(placeOf(running));
  visitor.cookies.set('trunkline_session', secret);
  return visitor;
}

async function signedUp(service: Service, running: Running, email: string) {
  const { secret } = await service.features.signUp({ email, password, address: newId() });
  const person = await service.features.visitor(secret);
  if (person === null) throw new Error('nobody is signed in after sign-up');
  return { person, visitor: signedIn(running, secret) };
}
