/** `echo`: bare node:http that answers what it was sent. Everything else is a multiple of it. */
import { serve } from './serve.ts';

serve((_, body) => body.toString());
