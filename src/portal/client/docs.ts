/** The contract in the viewer, asked of this very origin: other addresses of the service are another origin to a browser. */
interface Viewer {
  spec: unknown;
  dom_id: string;
  deepLinking: boolean;
  docExpansion: 'list';
  tryItOutEnabled: boolean;
  persistAuthorization: boolean;
  /** The viewer's own asks a service of its makers. */
  validatorUrl: null;
}

declare const SwaggerUIBundle: (viewer: Viewer) => unknown;

/** The label of a list says nothing but what is in the list. */
function isNamed(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return false;
  const label = field.closest('label') ?? document.querySelector(`label[for="${CSS.escape(field.id)}"]`);
  return (label?.textContent ?? '').trim() !== '';
}

/** Fields of the viewer that nobody named are read out by what stands beside them; what scrolls can be reached by keys. */
function nameFields(): void {
  for (const field of document.querySelectorAll('#contract :is(input, select, textarea)')) {
    if (field.hasAttribute('aria-label') || isNamed(field)) continue;
    const beside = field.closest('tr')?.querySelector('.parameter__name')?.textContent ?? '';
    field.setAttribute('aria-label', beside || field.getAttribute('placeholder') || field.id || 'Value');
  }
  for (const block of document.querySelectorAll('#contract :is(pre, .highlight-code)')) {
    if (!block.hasAttribute('tabindex')) block.setAttribute('tabindex', '0');
  }
}

/** The viewer has a dark look of its own, under this name. */
const dark = matchMedia('(prefers-color-scheme: dark)');
function dress(): void {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}
dark.addEventListener('change', dress);
dress();

async function show(): Promise<void> {
  const place = document.getElementById('contract');
  if (place !== null) new MutationObserver(nameFields).observe(place, { childList: true, subtree: true });
  const contract = await (await fetch('/openapi.json')).json();
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: location.origin }] },
    dom_id: '#contract',
    // Its links would stand in buttons, which screen readers can't reach.
    deepLinking: false,
    docExpansion: 'list',
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null,
  });
}

show().catch((error: unknown) => {
  const place = document.getElementById('contract');
  if (place !== null) place.textContent = `The contract could not be read: ${String(error)}`;
});
