/** `docs/clients.md` as a page, with calls to this service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentChildren, VNode } from 'preact';
import { answerPage } from '../page.tsx';
import { Lines, Rows } from '../components.tsx';
import { pageRoute } from '../route.ts';
import { readMarkdown } from './markdown.ts';
import type { Block, Inline } from './markdown.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');
/** The address of the calls in the file. */
const written = /(http:\/\/)?localhost:3000/g;

/** URLs at which linked pages are served; any other link becomes text. */
const served: Readonly<Record<string, string>> = { 'contract.md': '/docs' };

function Text({ parts }: { parts: readonly Inline[] }): VNode {
  return <>{parts.map(toNode)}</>;
}

function toNode(part: Inline): ComponentChildren {
  if (part.kind === 'code') return <Code text={part.text} />;
  if (part.kind === 'bold') return <b>{part.text}</b>;
  if (part.kind !== 'link') return part.text;
  const to = served[part.to] ?? (part.to.startsWith('https:') ? part.to : undefined);
  return to === undefined ? part.text : <a href={to}>{part.text}</a>;
}

/** Code that is the path of one of our pages becomes a link. */
function Code({ text }: { text: string }): VNode {
  const code = <code>{text}</code>;
  return /^\/(docs(\/\w+)?|openapi\.json)$/.test(text) ? <a href={text}>{code}</a> : code;
}

function toSection(block: Block): VNode {
  switch (block.kind) {
    case 'heading':
      return <Heading block={block} />;
    case 'paragraph':
      return (
        <p>
          <Text parts={block.text} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item) => (
            <li>
              <Text parts={item} />
            </li>
          ))}
        </ul>
      );
    case 'code':
      return <Lines text={block.text} label={block.language === 'json' ? 'the event' : 'the call'} />;
    case 'table':
      return (
        <Rows
          heads={block.heads.map((head) => head.map(({ text }) => text).join(''))}
          rows={block.rows.map((row) =>
            row.map((cell) => (
              <div>
                <Text parts={cell} />
              </div>
            )),
          )}
        />
      );
  }
}

function Heading({ block: { level, text, id } }: { block: Extract<Block, { kind: 'heading' }> }): VNode {
  if (level === 1) return <h1>{text}</h1>;
  return level === 2 ? <h2 id={id}>{text}</h2> : <h3 id={id}>{text}</h3>;
}

function makeGuide(baseUrl: string): VNode {
  const blocks = readMarkdown(guide.replaceAll(written, () => baseUrl));
  const headings = blocks.filter((block) => block.kind === 'heading').filter(({ level }) => level === 2);
  return (
    <main class="guide">
      <p class="back">
        <a href="/portal">Portal</a> · <a href="/docs">API</a> · <a href="/docs/verify">Check a signature</a>
      </p>
      <nav class="contents" aria-label="Contents">
        <ul>
          {headings.map(({ id, text }) => (
            <li>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      {blocks.map(toSection)}
    </main>
  );
}

/** Rendered once, because a service has one base URL. */
let made: { baseUrl: string; page: VNode } | null = null;

function guideOf(baseUrl: string): VNode {
  if (made?.baseUrl !== baseUrl) made = { baseUrl, page: makeGuide(baseUrl) };
  return made.page;
}

export const guideRoute = pageRoute({
  get: '/docs/guide',
  name: 'guidePage',
  open: (_request, response, { baseUrl }) =>
    answerPage(response, 200, {
      title: 'Guide · Trunkline',
      styles: ['portal.css'],
      scripts: ['page.js'],
      body: guideOf(baseUrl),
    }),
});
