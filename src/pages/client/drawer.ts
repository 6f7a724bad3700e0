/** A link of a list (`data-drawer`) opens its page beside the list, under the page's own address: loading it again shows the page. */
import { make } from './dom.ts';
import { adoptIcons, readPage } from './served.ts';

export function openBeside(): void {
  const [list, title] = [location.href, document.title];
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-drawer]') : null;
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!(link instanceof HTMLAnchorElement) || !isPlain) return;
    event.preventDefault();
    history.pushState({ beside: list }, '', link.href);
    void show(link.href);
  });
  // Back and forward in the history; a link within the page comes here too.
  addEventListener('popstate', () => {
    if (history.state?.beside === list) return void show(location.href);
    if (document.querySelector('dialog.drawer') === null) return;
    document.title = title;
    close();
  });
}

const close = (): void => document.querySelector<HTMLDialogElement>('dialog.drawer')?.close();

async function show(address: string): Promise<void> {
  const page = await readPage(address);
  const main = typeof page === 'string' ? null : page.querySelector('main');
  if (typeof page === 'string' || main === null) return location.assign(address);
  if (location.href !== address) return;
  adoptIcons(page);
  document.title = page.title;
  const shut = make(
    'button',
    { class: 'quiet shut', type: 'button', onclick: () => history.back() },
    'Close',
  );
  const heading = main.querySelector('h1')?.textContent ?? '';
  const drawer = document.createElement('dialog');
  drawer.className = 'drawer';
  drawer.ariaLabel = heading;
  drawer.append(shut, ...main.childNodes);
  drawer.addEventListener('cancel', (event) => {
    event.preventDefault();
    history.back();
  });
  drawer.addEventListener('click', ({ target }) => {
    if (target === drawer) history.back(); // beside it
  });
  drawer.addEventListener('close', () => drawer.remove());
  close();
  document.body.append(drawer);
  drawer.showModal();
}
