/** What scripts add to every page of the portal. Without them each page works too, but for copying. */
import { byId, makeButton } from './dom.ts';
import { focusOnKeys } from './shortcut.ts';
import { openBeside } from './drawer.ts';
import { refreshParts } from './fresh.ts';
import { postOnce } from './once.ts';
import { copyOnPress, countSelected } from './copy.ts';
import { leaveWhenSignedOut } from './served.ts';

/**
 * Each page of the history is a GET: without this, going back to the answer of a form, or loading it again, makes the browser ask whether to
 * post the form again. A GET of a form's URL redirects to the form's page. The address also forgets what brought the news of the page, which
 * are old when it is loaded again.
 */
function forgetForm(): void {
  const news = [...document.querySelectorAll<HTMLElement>('[data-said]')];
  const address = new URL(location.href);
  for (const name of news.flatMap(({ dataset }) => (dataset['said'] ?? '').split(' ')))
    address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

/** Toasts can be put away. */
function closeToasts(): void {
  for (const toast of document.querySelectorAll('.toast'))
    toast.append(makeButton('Close', () => toast.remove()));
}

/** The service writes all times in the zone of this browser, from the next page on. */
function tellZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const path = byId('loads').dataset['cookiePath'] ?? '/';
  document.cookie = `trunkline_zone=${timeZone}; Path=${path}; SameSite=Lax; Max-Age=31536000`;
}

tellZone();
forgetForm();
closeToasts();
postOnce();
copyOnPress();
countSelected();
openBeside();
focusOnKeys();
refreshParts();
leaveWhenSignedOut();

/** In a low window the navigation scrolls: the current entry must be visible. */
document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
