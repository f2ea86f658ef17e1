/** The engine's code for the page: fetched as a separate file. */
import { type EngineCode, shapesOf } from './engine-code';
import { PART_TYPES } from './gen/layout';
import { engineModule } from './module';

const parts = shapesOf(PART_TYPES);

/**
 * The code shared by all engines of the page.
 * @throws {Error} with a message for the user if the file cannot be fetched
 */
export const fetchCode = async (): Promise<EngineCode> => ({ module: await engineModule(), parts });
