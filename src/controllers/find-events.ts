import { runCommand } from '../base/commands';
import { eventWords } from '../model/trace/event-words';

/** Searches for a query in the panel of events. */
export function findEvents(query: string): void {
  eventWords.setState({ words: query });
  // The search shows its hits when its panel is up.
  setTimeout(() => runCommand('events.find'));
}
