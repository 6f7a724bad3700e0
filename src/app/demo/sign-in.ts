/** Sets the password of the demo account's person like any other: with the link that operators create. */
import { ask, textIn } from './ask.ts';

export interface DemoPerson {
  email: string;
  password: string;
}

/** Not secret: the demo's service listens on this machine only. */
const password = 'harbour bakery demo';

export async function setPassword(
  service: string,
  operator: Record<string, string>,
  email: string,
): Promise<DemoPerson> {
  const link = textIn(await ask.post(`${service}/admin/v1/people/reset-link`, { email }, operator), 'link');
  const page = await fetch(link);
  const cookie = page.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await page.text())?.[1] ?? '';
  const token = new URL(link).searchParams.get('token') ?? '';
  const answer = await fetch(`${service}/portal/reset`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; ') },
    body: new URLSearchParams({ csrf, token, password }),
  });
  if (answer.status !== 302) throw new Error(`the demo's password could not be set: ${answer.status}`);
  return { email, password };
}
