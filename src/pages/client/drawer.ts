/** A link of a list (`data-drawer`) opens its page beside the list, under the page's own address: loading it again shows the page. */
import { make, makeButton } from './dom.ts';
import { adoptIcons, readPage } from './served.ts';

export function openBeside(): void {
  const [list, title] = [location.href, document.title];
  const isHere = (): boolean => withoutHash(location.href) === withoutHash(list);
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
    // Loaded where a drawer was open: to the browser, the list is an address of the same document.
    if (!isHere()) return location.reload();
    if (close()) document.title = title;
  });
}

const withoutHash = (address: string): string => address.replace(/#.*/, '');

/** Whether one was open. */
function close(): boolean {
  const open = document.querySelector<HTMLDialogElement>('dialog.drawer');
  open?.close();
  return open !== null;
}

const leave = (): void => history.back();

async function show(address: string): Promise<void> {
  const page = await readPage(address);
  const main = typeof page === 'string' ? null : page.querySelector('main');
  if (typeof page === 'string' || main === null) return location.assign(address);
  if (location.href !== address) return;
  adoptIcons(page);
  document.title = page.title;
  const drawer: HTMLDialogElement = make(
    'dialog',
    {
      class: 'drawer',
      'aria-label': main.querySelector('h1')?.textContent ?? '',
      oncancel: (event) => {
        event.preventDefault();
        leave();
      },
      onclick: ({ target }) => (target === drawer ? leave() : undefined), // beside it
      onclose: () => drawer.remove(),
    },
    makeButton('Close', leave, 'quiet shut'),
    ...main.childNodes,
  );
  close();
  document.body.append(drawer);
  drawer.showModal();
}
