import http from 'node:http';
import express from 'express';
import type { Answering } from './middleware/unread-answers.ts';

interface ExpressApp {
  app: express.Express;
  /** Pass both to `http.createServer`. */
  classes: { IncomingMessage: typeof http.IncomingMessage; ServerResponse: typeof http.ServerResponse };
}

/**
 * An Express app whose requests and responses are born with the app's own prototypes. Express calls
 * `Object.setPrototypeOf(req, app.request)` for every request, which costs more than the rest of its work together; on an
 * object that has that prototype already it is a no-op and the whole request costs half. [performance §1]
 *
 * Instead of giving the classes Express' prototypes (a class can't swap its own) the app is given the classes'.
 *
 * `leftUnread` is told of each answer, whoever writes it, that its client has not taken at once.
 */
export function makeExpressApp(
  takesUpgrade: (request: http.IncomingMessage) => boolean,
  leftUnread: (response: Answering) => void,
): ExpressApp {
  const app = express();
  class Request extends http.IncomingMessage {
    isOffered = false;
    /**
     * Node asks this once it has read the headers: true takes its parser off the connection. An offer that nobody takes up is
     * no offer, so the framing stays with the one parser that began it. CONNECT is refused by having no listener. [faults: 91]
     */
    get upgrade(): boolean {
      return this.isOffered && (this.method === 'CONNECT' || takesUpgrade(this));
    }
    set upgrade(isOffered: boolean | null) {
      this.isOffered = isOffered === true;
    }
  }
  class Response<R extends http.IncomingMessage> extends http.ServerResponse<R> {
    override end(chunk?: unknown, encoding?: BufferEncoding | (() => void), done?: () => void): this {
      if (typeof encoding === 'string') super.end(chunk, encoding, done);
      else super.end(chunk, encoding ?? done);
      if (this.writableLength > 0 && !this.destroyed) leftUnread(this);
      return this;
    }
  }
  adopt(Request.prototype, app.request, app);
  adopt(Response.prototype, app.response, app);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { app, classes: { IncomingMessage: Request, ServerResponse: Response } };
}

/** Express' own `app.request` is an object over `express.request` that carries `app`: here the class's prototype is. */
function adopt(prototype: object, parent: object, app: express.Express): void {
  Object.setPrototypeOf(prototype, parent);
  Object.defineProperty(prototype, 'app', {
    configurable: true,
    enumerable: true,
    writable: true,
    value: app,
  });
}
