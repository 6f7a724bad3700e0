import type { Express } from 'express';
import { answerText } from './call.ts';
import { htmlType, writePage } from './html.ts';

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 1rem auto; padding: 0 1rem; }
`;

const page = writePage(
  'Simulator',
  style,
  `<main>
<h1>The simulator</h1>
<p>A stand-in for the upstream platform: it speaks the wire protocol of chatapp, photoapp and pagechat. State is in memory.</p>
<ul>
<li><a href="control/chat">Play a person</a> who writes to a business, and the business’s own app.</li>
<li><a href="control/settings">Settings</a> of the simulator.</li>
</ul>
<p>Everything else under <code>/control</code> is in <code>src/simulator/CONTROL.md</code>.</p>
</main>`,
);

/** Answers a browser that opens the simulator's address. Any other call to `/` belongs to the API. */
export function addFrontPage(app: Express): void {
  app.get('/', (req, res, next) => {
    const isBrowser = req.originalUrl === '/' && req.get('accept')?.includes('text/html') === true;
    if (isBrowser) answerText(res, 200, htmlType, page);
    else next();
  });
}
