import { sendPage } from '../http/answers.ts';
import { basePathOf } from '../http/base-path.ts';
import type { ServerResponse } from 'node:http';
import type { VNode, ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { visibleControls } from '../kernel/visible-controls.ts';
import { assetUrl } from './assets.ts';
import { IconShapes, iconsOfBadges, ShownIcons } from './icon.tsx';
import { ZoneOfReader } from './time.tsx';
import { zoneIn } from './zone.ts';

interface Page {
  title: string;
  body: VNode;
  /** File names of `styles/` as built; default: those of the portal. */
  styles?: readonly string[];
  scripts?: readonly string[];
  plainScripts?: readonly string[];
  /** Allowed targets of its forms; default: none. See `PolicyOptions`. */
  formTargets?: readonly string[];
}

/** Answers with a page in the common layout, under a policy that allows only what the page names. */
export function answerPage(response: ServerResponse, status: number, page: Page): void {
  const { title, body, styles = ['portal.css'], scripts = [], plainScripts = [], formTargets = [] } = page;
  const icons = new Set(iconsOfBadges);
  const html = renderToString(
    <Layout {...{ title, styles, scripts, plainScripts }} basePath={basePathOf(response)}>
      <ShownIcons.Provider value={icons}>
        <ZoneOfReader value={zoneIn(response.req)}>{body}</ZoneOfReader>
      </ShownIcons.Provider>
      <IconShapes of={icons} />
    </Layout>,
  );
  const policy = writePolicy({ hasScripts: scripts.length > 0, formTargets });
  // Names and texts of outsiders are all over the pages; no page has such a character of its own.
  sendPage(response, status, `<!doctype html>${visibleControls(html)}`, policy);
}

interface LayoutProps {
  title: string;
  styles: readonly string[];
  /** File names of `client/` as built; ES modules. */
  scripts: readonly string[];
  /** Classic scripts, loaded before the modules. */
  plainScripts: readonly string[];
  /** For client files, which write links too. */
  basePath: string;
  children: ComponentChildren;
}

/** The layout of every page. The renderer escapes its content; nothing here takes markup as text. */
function Layout({ title, styles, scripts, plainScripts, basePath, children }: LayoutProps): VNode {
  return (
    <html lang="en" data-base={basePath === '' ? undefined : basePath}>
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
        {styles.map((name) => (
          <link rel="stylesheet" href={assetUrl(name)} />
        ))}
        {plainScripts.map((name) => (
          <script defer src={assetUrl(name)} />
        ))}
        {scripts.map((name) => (
          <script type="module" src={assetUrl(name)} />
        ))}
      </head>
      <body>
        {children}
        <div class="loads" id="loads" data-cookie-path={`${basePath}/`} />
      </body>
    </html>
  );
}

interface PolicyOptions {
  /** Whether client files run and may call this service. */
  hasScripts: boolean;
  /**
   * Targets of forms, including redirects of their answers: a browser checks those too, so a form whose answer redirects to a URL of the
   * client must name its origin.
   */
  formTargets: readonly string[];
}

/** The Content-Security-Policy of a page: everything is loaded from this origin, no inline scripts or styles, no framing. */
function writePolicy({ hasScripts, formTargets }: PolicyOptions): string {
  return [
    "default-src 'none'",
    ...(hasScripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
