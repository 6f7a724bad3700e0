import { escape, writePage } from './html.ts';
import type { Business, DialogRequest } from './model.ts';

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; }
  fieldset { border: 1px solid #8888; border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem; }
  legend { font-weight: 600; padding: 0 .3rem; }
  label { display: block; padding: .4rem 0; }
  small { opacity: .8; }
  button { font: inherit; padding: .6rem 1.4rem; border-radius: .5rem; border: 1px solid #555; cursor: pointer; margin-right: .5rem; }
  button[value=allow] { background: #0b57d0; border-color: #0b57d0; color: #fff; }
  :focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
  nav { border-top: 1px solid #8888; margin-top: 2rem; padding-top: .5rem; }
`;

/** The page on which a person accepts, declines and chooses assets. One form, no script, nothing loaded from elsewhere. */
export function dialogPage(
  asked: DialogRequest,
  business: Business,
  others: readonly Business[],
  query: URLSearchParams,
  problem: string | null,
): string {
  const action = `?${query.toString()}`;
  return writePage(
    'Simulator: log in',
    style,
    `<main>
<h1>Connect to Unified Inbox</h1>
<p>This is the simulator standing in for the platform. You continue as <strong>${escape(business.loginName)}</strong> of ${escape(business.name)}.</p>
${problem === null ? '' : `<p role="alert"><strong>${escape(problem)}</strong></p>`}
<form method="post" action="${escape(action)}">
<input type="hidden" name="login" value="${escape(business.login)}">
<fieldset><legend>${asked.isSignup ? 'Business account and its numbers' : 'Pages'}</legend>${assetChoices(asked, business)}</fieldset>
${asked.isSignup ? '' : permissionChoices(asked)}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Cancel</button>
</form>
<nav aria-label="Other people"><p>Not you?</p><ul>${others.map((other) => otherLink(other, query)).join('')}</ul></nav>
</main>`,
  );
}

/** The page that upstream shows when it cannot redirect. */
export function errorPage(message: string): string {
  return writePage(
    'Simulator: error',
    style,
    `<main><h1>Sorry, something went wrong</h1><p role="alert">${escape(message)}</p></main>`,
  );
}

function assetChoices(asked: DialogRequest, business: Business): string {
  if (asked.isSignup) {
    return business.waba.phones
      .map((phone) =>
        choice(
          'asset',
          phone.id,
          phone.display,
          phone.dualUse ? 'also used in the phone app' : business.waba.name,
        ),
      )
      .join('');
  }
  return business.pages
    .map((item) =>
      choice('asset', item.id, item.name, item.photo ? `with @${item.photo.username}` : 'no photo account'),
    )
    .join('');
}

function permissionChoices(asked: DialogRequest): string {
  const choices = asked.scopes.map((scope) => choice('grant', scope, scope, '')).join('');
  return `<fieldset><legend>Permissions</legend>${choices}</fieldset>`;
}

function choice(name: string, value: string, text: string, remark: string): string {
  const note = remark === '' ? '' : ` <small>${escape(remark)}</small>`;
  return `<label><input type="checkbox" name="${name}" value="${escape(value)}" checked> ${escape(text)}${note}</label>`;
}

function otherLink(other: Business, query: URLSearchParams): string {
  const link = new URLSearchParams(query);
  link.set('login', other.login);
  return `<li><a href="?${escape(link.toString())}">Continue as ${escape(other.loginName)} (${escape(other.name)})</a></li>`;
}
