import { integer } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { counterText } from '../../draw/machine/facts';
import { session } from '../../model/session/session';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { TextAlternative } from '../../widgets/TextAlternative';

/** The number of events up to the playhead, and the counters of the first part; an open question covers those it asks about. */
export default function Example() {
  const player = useRun();
  const machine = useStore(session, (state) => state.machine);
  const mask = useAnswerMask();
  const events = useFrameValue(() => player.frame()?.events ?? 0);
  const part = machine?.parts[0];
  // A frame value is compared by identity, so several numbers are read as one text.
  const values = useFrameValue(() => [...(player.frame()?.counters[0] ?? [])].join(' ')).split(' ');
  const summary = `${integer(events)} events up to the playhead.`;
  const counters = part?.type.counters.map((spec, index) => ({
    name: spec.name,
    title: spec.title,
    value: mask?.masks(part.index, spec.name) ? (
      <Masked />
    ) : (
      counterText(spec, Number(values[index] ?? 0))
    ),
  }));
  const sentences = counters?.map(({ title, value }) => (
    <>
      {title}: {value}
    </>
  ));
  return (
    <Panel
      title="Example"
      scroll
      textAlternative={<TextAlternative summary={summary} sentences={sentences ?? []} />}
    >
      <p>{summary}</p>
      <dl>
        {counters?.map(({ name, title, value }) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
