/** `echo`: a bare node:http server that returns the request body. The other servers' costs are given as multiples of its cost. */
import { serve } from './serve.ts';

serve((_, body) => body.toString());
