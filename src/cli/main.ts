/** The headless program: the same engine and the same model as the page, in Node. */
import { watchOutput } from './output';
import { program } from './program';

watchOutput();
process.exitCode = await program(process.argv.slice(2));
