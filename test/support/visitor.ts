/** A browser as far as cookies and the tokens of forms are concerned. */
import { hashSecret } from '../../src/kernel/ids.ts';
import { unmaskToken } from '../../src/pages/forms/mask.ts';
import type { World } from './world.ts';

/** A page with the tokens of its forms unmasked: pages that differ in nothing else are equal. */
const withoutMasks = (text: string): string =>
  text.replaceAll(/(?<=name="csrf" value=")[^"]*/g, (masked) => unmaskToken(masked));

/** Anything with a portal. */
export interface Place {
  service: Pick<World['service'], 'url'>;
}

export class Visitor {
  readonly #world: Place;

  readonly cookies = new Map<string, string>();

  constructor(world: Place) {
    this.#world = world;
  }

  async ask(path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.#world.service.url}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: this.cookie, ...headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const set = answer.headers.getSetCookie();
    for (const each of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      text: withoutMasks(await answer.text()),
      set,
    };
  }

  /** The header that sends them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get csrf(): string {
    const named = (name: string): string | undefined =>
      this.cookies.get(`trunkline_${name}`) ?? this.cookies.get(`__Host-trunkline_${name}`);
    return hashSecret(`csrf:${named('session') ?? named('visit') ?? ''}`);
  }

  async post(path: string, form: Record<string, string> = {}) {
    return this.ask(path, { csrf: this.csrf, ...form });
  }
}

/** A visitor of the console. */
export class Operator extends Visitor {
  override get csrf(): string {
    return hashSecret(
      `csrf:${this.cookies.get('trunkline_operator') ?? this.cookies.get('trunkline_operator_visit') ?? ''}`,
    );
  }
}
