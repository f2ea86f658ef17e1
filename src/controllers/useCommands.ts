import { useEffect, useRef } from 'react';
import { type Command, commands } from '../base/commands';

/**
 * Registers commands while the component is mounted. They are registered once by id; `run` and availability
 * are looked up when used, so they may close over the latest properties.
 */
export function useCommands(list: readonly Command[]): void {
  const latest = useRef(list);
  latest.current = list;
  const ids = list.map((command) => command.id).join(' ');
  useEffect(() => {
    const find = (id: string) => latest.current.find((command) => command.id === id);
    const stops = ids
      .split(' ')
      .map(find)
      .filter((command) => command !== undefined)
      .map((command) =>
        commands.add({
          ...command,
          run: () => find(command.id)?.run(),
          when: () => find(command.id)?.when?.() ?? true,
        }),
      );
    return () => {
      for (const stop of stops) stop();
    };
  }, [ids]);
}
