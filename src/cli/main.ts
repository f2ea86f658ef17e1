/** The headless program: the same engine and the same model as the page, in Node. */
import { tolerateClosedPipe } from './output';
import { program } from './program';

tolerateClosedPipe();
process.exitCode = await program(process.argv.slice(2));
