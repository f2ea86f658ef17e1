import { integer } from '../../base/format';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';
import { Panel } from '../../widgets/Panel';

/** The parts of the machine, and the number of events up to the playhead. */
export default function Example() {
  const player = useRun();
  const machine = useStore(session, (state) => state.machine);
  const events = useFrameValue(() => player.frame()?.events ?? 0);
  return (
    <Panel title="Example" scroll>
      <p>{integer(events)} events</p>
      <ul>
        {machine?.parts.map(({ name, title }) => (
          <li key={name}>{title}</li>
        ))}
      </ul>
    </Panel>
  );
}
