import type {
  Locator,
  Page,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';

export { expect } from '@playwright/test';

export declare class Busyard {
  constructor(page: Page);
  readonly page: Page;
  /** A part in the drawing of the machine. */
  part(title: string): Locator;
  /** A panel by its id, such as "inspector", or by its title. */
  panel(name: string): Locator;
  /** Opens a scenario or an address, and waits until its run is recorded. */
  open(target: string): Promise<void>;
  /** Opens a scenario file from its text, as if it was dropped onto the page. */
  openFile(name: string, text: string): Promise<void>;
  /** Waits until the machine is at the playhead and its run is recorded. */
  ready(): Promise<void>;
  /** Waits until nothing is being opened, computed, drawn or animated. */
  atRest(): Promise<void>;
  /** Goes to the first event that a query finds (docs/queries.md), or that is not before a time. */
  seek(where: string): Promise<void>;
  /** Selects a part in the drawing. */
  select(title: string): Promise<void>;
  /** Brings up a panel, which may be behind a tab. */
  show(name: string): Promise<void>;
  /** Text of a panel; of its text alternative, if it has one. */
  text(name: string): Promise<string>;
  /** State hash at the playhead, once the page is at rest. */
  hash(): Promise<string>;
}

interface Fixtures {
  /** Whether open questions cover what would answer them; default: true. */
  covered: boolean;
  busyard: Busyard;
}

export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & Fixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;
