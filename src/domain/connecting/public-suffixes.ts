/**
 * Suffixes of two and more labels under which anybody can get a name, so that `*` before them would be a wildcard over
 * strangers. The common ones only: the whole public list changes weekly, and a customer who whitelists `*.gov.xy` for himself
 * harms nobody else.
 */
const registries = `
  co.uk org.uk me.uk ltd.uk plc.uk net.uk gov.uk ac.uk sch.uk nhs.uk com.au net.au org.au edu.au gov.au
  id.au co.nz org.nz net.nz govt.nz com.br net.br org.br gov.br com.ar com.mx com.co com.pe com.ve com.ec
  co.jp ne.jp or.jp ac.jp go.jp co.kr or.kr com.cn net.cn org.cn gov.cn com.tw org.tw com.hk org.hk com.sg
  edu.sg com.my com.ph com.vn co.th co.id or.id web.id co.in net.in org.in gov.in com.pk com.bd com.np
  co.za org.za web.za co.ke com.ng com.gh co.tz co.ug com.eg co.il org.il com.tr org.tr com.ua com.ru
  com.pl net.pl org.pl com.pt com.es com.gr co.at or.at com.sa com.qa com.kw ae.org us.com eu.com uk.com
  de.com`;

/** Where anybody can host a site. */
const hosting = `
  github.io gitlab.io pages.dev workers.dev vercel.app netlify.app web.app firebaseapp.com herokuapp.com
  onrender.com fly.dev azurewebsites.net cloudfront.net azurestaticapps.net appspot.com run.app a.run.app
  blogspot.com wordpress.com ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com
  loca.lt surge.sh glitch.me repl.co replit.app replit.dev deno.dev lovable.app bubbleapps.io webflow.io
  myshopify.com wixsite.com weebly.com railway.app up.railway.app amplifyapp.com s3.amazonaws.com
  elasticbeanstalk.com on.aws ts.net nip.io sslip.io duckdns.org`;

const publicSuffixes: ReadonlySet<string> = new Set(`${registries} ${hosting}`.trim().split(/\s+/));

/** `domain`: lower case, punycode. */
export function isPublicSuffix(domain: string): boolean {
  return publicSuffixes.has(domain);
}
