import http from 'node:http';
import express from 'express';
import type { Answering } from './middleware/unread-answers.ts';

interface ExpressApp {
  app: express.Express;
  /** Pass both to `http.createServer`. */
  classes: { IncomingMessage: typeof http.IncomingMessage; ServerResponse: typeof http.ServerResponse };
}

/**
 * An Express app whose requests and responses are created with the app's own prototypes. Express calls
 * `Object.setPrototypeOf(req, app.request)` for every request, which costs more than the rest of its work together; on an
 * object that already has that prototype the call is a no-op and the whole request costs half. [performance §1]
 *
 * A class can't replace its own prototype, so the app gets the prototypes of our classes instead.
 *
 * `leftUnread` is called for each ended response of which the client has not taken all bytes at once.
 */
export function makeExpressApp(
  takesUpgrade: (request: http.IncomingMessage) => boolean,
  leftUnread: (response: Answering) => void,
): ExpressApp {
  const app = express();
  class Request extends http.IncomingMessage {
    isOffered = false;
    /**
     * Node reads this after the headers: true detaches its parser from the connection. An offered upgrade that nobody accepts is ignored,
     * so that the same parser keeps the framing. CONNECT is refused because the server has no listener for it. [faults: 91]
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

/** Express' own `app.request` inherits from `express.request` and carries `app`; here the prototype of the class does both. */
function adopt(prototype: object, parent: object, app: express.Express): void {
  Object.setPrototypeOf(prototype, parent);
  Object.defineProperty(prototype, 'app', {
    configurable: true,
    enumerable: true,
    writable: true,
    value: app,
  });
}
