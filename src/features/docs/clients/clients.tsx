/** The clients for Node and Python: a page that shows install and first use, and the archives. */
import type { VNode } from 'preact';
import { fault } from '../../../kernel/faults.ts';
import { sendAsset } from '../../../http/answers.ts';
import { Lines } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { openRoute, publicPage } from '../../route.ts';
import { answerDocs } from '../frame.tsx';
import { languages } from './languages.ts';
import type { Language, LanguageId } from './languages.ts';
import { handWritten, packagesFor } from './packages.ts';
import type { Method, Package } from './packages.ts';

const path = '/docs/clients';

const methodsPart = { id: 'methods', name: 'All calls' };

const body = (
  baseUrl: string,
  packages: Readonly<Record<LanguageId, Package>> & { methods: readonly Method[] },
): VNode => (
  <>
    <p>
      Both have a method for each operation of the contract, with its types, and need no other package. A call
      that was not done (429) is repeated after <code>Retry-After</code>. A call with <code>GET</code>, a
      send, and <code>read</code>, which does no harm twice, is repeated too when the answer is lost or 5xx:
      each send has an <code>Idempotency-Key</code>, so that the message is sent once. No other call is: not
      an exchange of a code, a PATCH, an upload or <code>typing</code>. A list is iterated over, page by page;{' '}
      <code>first()</code> is its first page, and <code>pages()</code> are all.
    </p>
    <p>
      A refused call is an error with <code>code</code>, <code>status</code>, <code>detail</code> and the{' '}
      <code>X-Request-Id</code>. <b>A send that the platform refuses is none:</b> it is answered 200 with{' '}
      <code>success</code> false, <code>status</code> <code>failed</code> and the reason in <code>error</code>
      , so look at <code>status</code> after each send, in both languages.
    </p>
    <p>
      The key must not travel in the clear: an address is <code>https</code>, or <code>http</code> to this
      machine. <code>allowHttp</code>, in Python <code>allow_http</code>, takes any, for a network of your
      own.
    </p>
    <p>
      Keep the file with your program. This service makes it of <a href="/openapi.json">its contract</a>, and
      has another after an upgrade that adds something; yours goes on to work.
    </p>
    {Object.values(languages).map((language) => (
      <Part language={language} baseUrl={baseUrl} file={packages[language.id].file} />
    ))}
    <section>
      <h2 id={methodsPart.id}>{methodsPart.name}</h2>
      <p>
        Each takes the parameters and the body of its call by the names of the contract, in Node as one
        object, in Python as keyword arguments. A file is a path, or bytes, a stream or an open file, with the
        name that is shown if you give one.
      </p>
      <Rows
        heads={['Node', 'Python', 'Does']}
        rows={packages.methods.map(({ node, python, summary }) => [
          <code class="word">{node}</code>,
          <code class="word">{python}</code>,
          summary,
        ])}
      />
    </section>
  </>
);

function Part({ language, baseUrl, file }: { language: Language; baseUrl: string; file: string }): VNode {
  const { id, name, needs, install, ending, run } = language;
  const send = `BASE_URL=${baseUrl} KEY=… ${run} send.${ending} CHANNEL RECIPIENT TEXT`;
  const answer = `BASE_URL=${baseUrl} KEY=… ${run} answer.${ending} CHANNEL MESSAGE RECIPIENT FILE.pdf`;
  const receive = `WEBHOOK_SECRET=… ${run} receive.${ending}`;
  return (
    <section>
      <h2 id={id}>{name}</h2>
      <p>
        For {needs}: <a href={`${path}/${file}`}>{file}</a>.
      </p>
      <Lines text={`curl -O ${baseUrl}${path}/${file}\n${install}${file}`} label="the commands" />
      <h3 id={`${id}-send`}>Send, and read a list</h3>
      <p>
        <code>{send}</code> It prints <code>failed</code> and the reason if the platform refuses the message,
        which is no exception.
      </p>
      <Lines text={handWritten(id, `send.${ending}`)} label="the program" />
      <h3 id={`${id}-receive`}>Receive events</h3>
      <p>
        <code>{receive}</code> The signature is checked over the raw body, and a delivery older than five
        minutes is refused.
      </p>
      <Lines text={handWritten(id, `receive.${ending}`)} label="the program" />
      <h3 id={`${id}-answer`}>Answer with a file and with buttons</h3>
      <p>
        <code>{answer}</code> <code>MESSAGE</code> is the <code>message_id</code> of a message that you
        received: it is shown as read, and quoted.
      </p>
      <Lines text={handWritten(id, `answer.${ending}`)} label="the program" />
    </section>
  );
}

export const clientRoutes = [
  publicPage({
    get: path,
    name: 'clientsPage',
    open: (context) =>
      answerDocs(context, {
        title: 'Clients',
        path,
        heading: 'Clients',
        contents: [...Object.values(languages), methodsPart],
        body: body(context.baseUrl, packagesFor(context.openApi())),
      }),
  }),
  openRoute({
    get: `${path}/{file}`,
    name: 'clientArchive',
    failures: 'json',
    open: (request, response, { openApi }) => {
      const { node, python } = packagesFor(openApi());
      const found = [node, python].find(({ file }) => file === request.params['file']);
      if (found === undefined) throw fault('unknown_path');
      sendAsset(
        response,
        'application/octet-stream',
        { plain: found.bytes, br: null, gzip: null },
        'not at all',
      );
    },
  }),
];
