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

async function show(): Promise<void> {
  const contract = await (await fetch('/openapi.json')).json();
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: location.origin }] },
    dom_id: '#contract',
    deepLinking: true,
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
