/**
 * Posts a form once: on a slow network people press twice, and would make a second key, or grant a second licence. Until the answer comes the
 * form is `aria-busy`, which dims its buttons.
 */
export function postOnce(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
    if (form.ariaBusy === 'true') event.preventDefault();
    else setBusy(form);
  });
  // A page that the browser kept as it was left.
  addEventListener('pageshow', () => document.querySelectorAll('form').forEach(release));
}

/** A person who has stopped the browser can try again after this time. */
const mostWaitMs = 10_000;

function setBusy(form: HTMLFormElement): void {
  form.ariaBusy = 'true';
  setTimeout(() => release(form), mostWaitMs);
}

function release(form: HTMLFormElement): void {
  form.ariaBusy = null;
}
