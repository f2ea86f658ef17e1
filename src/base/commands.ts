/**
 * Everything a user can do, by name. The palette lists them, the keyboard runs them, the menus of the top
 * bar show those that ask for it, and the key help is made from them, so no list is written twice.
 */
import { createRegistry } from './registry';

export interface Command {
  readonly id: string;
  /** What it does, as a plain imperative: "Step forward". */
  readonly title: string;
  /** Heading in the palette and the key help. */
  readonly section: string;
  /** Key presses, each written as "Ctrl+K", "Shift+W", "ArrowRight", "?"; `Ctrl` is Command on a Mac. */
  readonly keys?: readonly string[];
  /** Does it; a command with several keys may look at which one was pressed. */
  run(pressed?: string): void;
  /** Whether it can be done now; a command that cannot is not run, and not listed unless it says why. */
  when?(): boolean;
  /** Why it cannot be done, for the palette: "nothing to undo". */
  readonly unavailable?: string;
  /** The menu of the top bar that also shows it. */
  readonly menu?: 'export' | 'compare';
  /** Short remark at the right of its row in the palette. */
  readonly hint?: string;
  /** Other words a user may search for. */
  readonly keywords?: readonly string[];
  /** Very short name ("next event") with which the bar of projector mode shows its key. */
  readonly brief?: string;
  /** Runs by its key only: it would make no sense as a row of the palette. */
  readonly keyOnly?: boolean;
  readonly order?: number;
}

export const commands = createRegistry<Command>();

export const isAvailable = (command: Command): boolean => command.when?.() ?? true;

/** Runs a command by id if it exists and is available; says whether it ran. */
export function runCommand(id: string): boolean {
  const command = commands.get(id);
  if (!command || !isAvailable(command)) return false;
  command.run();
  return true;
}
