/** The engine's code, for the page: a file beside it. */
import { type EngineCode, shapesOf } from './engine-code';
import { PART_TYPES } from './gen/layout';
import { engineModule } from './module';

const parts = shapesOf(PART_TYPES);

/**
 * The code that all engines of the page share.
 * @throws {Error} with a sentence when the file cannot be had
 */
export const fetchCode = async (): Promise<EngineCode> => ({ module: await engineModule(), parts });
