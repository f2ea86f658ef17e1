/** Zod in its non-JIT mode: the page's content security policy forbids `eval`. */
import { z } from 'zod';

z.config({ jitless: true });

export { z };
