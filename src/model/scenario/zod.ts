/** Zod without the checks that it would compile from texts: the page's policy has no `eval`. */
import { z } from 'zod';

z.config({ jitless: true });

export { z };
