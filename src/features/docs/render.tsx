/** A page of `docs/` as nodes. Its first heading is the page's; further ones of the first level begin its parts. */
import type { ComponentChildren, VNode } from 'preact';
import { Lines } from '../../pages/components.tsx';
import { Rows } from '../../pages/list/rows.tsx';
import { plainText, readMarkdown } from './markdown.ts';
import type { Block, Heading, Inline } from './markdown.ts';
import type { Part } from './frame.tsx';

/** The URL of a link in the file; undefined: it becomes text. */
type Resolve = (to: string) => string | undefined;

export interface Rendered {
  heading: VNode;
  /** Headings of the first two levels. */
  contents: readonly Part[];
  body: VNode;
}

export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const blocks = readMarkdown(text);
  const [title, ...headings] = blocks.filter((block) => block.kind === 'heading');
  return {
    heading: <Text parts={title?.text ?? []} resolve={resolve} />,
    contents: headings
      .filter(({ level }) => level < 3)
      .map(({ id, text: name }) => ({ id, name: plainText(name) })),
    body: <>{blocks.map((block) => (block === title ? null : toSection(block, resolve)))}</>,
  };
}

interface Said {
  parts: readonly Inline[];
  resolve: Resolve;
}

function Text({ parts, resolve }: Said): VNode {
  return <>{parts.map((part) => toNode(part, resolve))}</>;
}

function toNode(part: Inline, resolve: Resolve): ComponentChildren {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'code') return <Code text={part.text} />;
  const said = <Text parts={part.parts} resolve={resolve} />;
  if (part.kind === 'bold') return <b>{said}</b>;
  const to = resolve(part.to);
  return to === undefined ? said : <a href={to}>{said}</a>;
}

/** Longest name that is never broken: a column beside it shrinks instead. */
const maxWord = 24;

/** Code that is the path of one of our pages becomes a link. */
function Code({ text }: { text: string }): VNode {
  const isWord = text.length <= maxWord && !text.includes(' ');
  const code = <code class={isWord ? 'word' : undefined}>{text}</code>;
  return /^\/(docs(\/[\w-]+)?|openapi\.json)$/.test(text) ? <a href={text}>{code}</a> : code;
}

/** What a copied block is, for those who hear the button. */
const labels: Readonly<Record<string, string>> = { json: 'the event', js: 'the function' };

function toSection(block: Block, resolve: Resolve): VNode {
  switch (block.kind) {
    case 'heading':
      return <Head block={block} resolve={resolve} />;
    case 'paragraph':
      return (
        <p>
          <Text parts={block.text} resolve={resolve} />
        </p>
      );
    case 'list':
      return <List block={block} resolve={resolve} />;
    case 'code':
      return <Lines text={block.text} label={labels[block.language] ?? 'the call'} />;
    case 'table':
      return <Table block={block} resolve={resolve} />;
  }
}

function Head({ block: { level, text, id }, resolve }: { block: Heading; resolve: Resolve }): VNode {
  const said = <Text parts={text} resolve={resolve} />;
  if (level === 1) {
    return (
      <h2 id={id} class="part">
        {said}
      </h2>
    );
  }
  if (level === 2) return <h2 id={id}>{said}</h2>;
  return <h3 id={id}>{said}</h3>;
}

interface Of<Kind extends Block['kind']> {
  block: Extract<Block, { kind: Kind }>;
  resolve: Resolve;
}

function List({ block: { start, items }, resolve }: Of<'list'>): VNode {
  const shown = items.map((item) => <li>{item.map((block) => toItemPart(block, resolve))}</li>);
  return start === null ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>;
}

/** Lines of text are the item itself; a table or an example stands in it. */
function toItemPart(block: Block, resolve: Resolve): VNode {
  return block.kind === 'paragraph' ? (
    <Text parts={block.text} resolve={resolve} />
  ) : (
    toSection(block, resolve)
  );
}

function Table({ block: { heads, rows }, resolve }: Of<'table'>): VNode {
  const cellOf = (cell: readonly Inline[]): VNode => (
    <div>
      <Text parts={cell} resolve={resolve} />
    </div>
  );
  return <Rows heads={heads.map(plainText)} rows={rows.map((row) => row.map(cellOf))} />;
}
