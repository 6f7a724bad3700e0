/** A person at the portal, or an operator at the console, without a browser: forms and cookies. */
import { hashSecret } from '../../src/kernel/ids.ts';
import { adminToken } from '../../test/support/service.ts';

const password = 'correct horse battery';

export class Person {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Signs up and in. */
  async signUp(email: string): Promise<void> {
    await this.ask('/portal/sign-up');
    await this.#post('/portal/sign-up', { email, password });
  }

  async signIn(email: string): Promise<void> {
    await this.ask('/portal/sign-in');
    await this.#post('/portal/sign-in', { email, password });
  }

  async enterConsole(): Promise<void> {
    await this.ask('/operators/enter');
    await this.#post('/operators/enter', { token: adminToken });
  }

  async ask(path: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.#url + path, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }

  async #post(path: string, form: Record<string, string>): Promise<void> {
    const isConsole = path.startsWith('/operators');
    const visit = this.#cookies.get(isConsole ? 'trunkline_operator_visit' : 'trunkline_visit') ?? '';
    const answer = await this.ask(path, { csrf: hashSecret(`csrf:${visit}`), ...form });
    await answer.arrayBuffer();
    if (answer.status !== 302) throw new Error(`${path} answered ${answer.status}`);
  }
}
