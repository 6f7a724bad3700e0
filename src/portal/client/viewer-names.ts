/** Names for elements that the viewer leaves unnamed, or unreachable by keyboard and screen readers. */

/** The label of a `select` contains only its options, so it is no name. */
function isNamed(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return false;
  const label = field.closest('label') ?? document.querySelector(`label[for="${CSS.escape(field.id)}"]`);
  return (label?.textContent ?? '').trim() !== '';
}

const regions = {
  '.information-container': 'About',
  '.scheme-container': 'Authorization',
  '.filter': 'Filter',
  '.webhooks': 'Webhooks',
  '.models': 'Schemas',
};

/** Gives fields an accessible name, makes scrolling blocks focusable, and removes links within buttons. */
export function tidy(): void {
  for (const field of document.querySelectorAll('#contract :is(input, select, textarea)')) {
    if (field.hasAttribute('aria-label') || isNamed(field)) continue;
    const beside = field.closest('tr')?.querySelector('.parameter__name')?.textContent ?? '';
    field.setAttribute('aria-label', beside || field.getAttribute('placeholder') || field.id || 'Value');
  }
  for (const block of document.querySelectorAll('#contract :is(pre, .highlight-code)')) {
    if (!block.hasAttribute('tabindex')) block.setAttribute('tabindex', '0');
  }
  // The viewer's `main` contains only the calls; the regions beside it get names too.
  for (const [part, name] of Object.entries(regions)) {
    const region = document.querySelector(`#contract ${part}`);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', name);
  }
  for (const heading of document.querySelectorAll('#contract :is(h3.opblock-tag, .models h4)'))
    heading.setAttribute('aria-level', '2');
  for (const link of document.querySelectorAll('#contract button a[href]')) link.removeAttribute('href');
}
