/**
 * Posts a form once: on a slow network people press twice, and would make a second key, or grant a second licence. Until the answer comes the
 * form is `aria-busy`, and the pressed button turns. Whatever page takes long to come shows a bar above this one.
 */
export function postOnce(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    if (form.ariaBusy === 'true') return event.preventDefault();
    if (form.method === 'post') setBusy(form, event.submitter);
    startLoading();
  });
  addEventListener('beforeunload', startLoading);
  // A page that the browser kept as it was left.
  addEventListener('pageshow', () => {
    document.querySelectorAll('form').forEach(release);
    endLoading();
  });
}

/** A person who has stopped the browser can try again after this time. */
const mostWaitMs = 10_000;

function setBusy(form: HTMLFormElement, pressed: HTMLElement | null): void {
  form.ariaBusy = 'true';
  if (pressed !== null) pressed.dataset['pressed'] = '';
  setTimeout(() => release(form), mostWaitMs);
}

function release(form: HTMLFormElement): void {
  form.ariaBusy = null;
  form.querySelectorAll('[data-pressed]').forEach((each) => each.removeAttribute('data-pressed'));
}

/** Also called for a download, which leaves the page as it is. */
function startLoading(): void {
  document.body.dataset['loads'] = '';
  setTimeout(endLoading, mostWaitMs);
}

function endLoading(): void {
  delete document.body.dataset['loads'];
}
