import { runCommand } from '../../base/commands';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { actorOf } from '../../draw/glyph';
import type { CompiledMachine, CompiledParam, CompiledPart } from '../../model/scenario/compiled';
import { resetAll } from '../../model/session/editing';
import { select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { useGlossaryText } from '../../widgets/GlossaryText';
import { Panel } from '../../widgets/Panel';
import { PartHead } from '../../widgets/PartHead';
import { PartList } from '../../widgets/PartList';
import { Section } from '../../widgets/Section';
import { ActsFromChoice } from './ActsFromChoice';
import { Commands } from './Commands';
import { Counters } from './Counters';
import styles from './Inspector.module.css';
import { Measures } from './Measures';
import { Parameter, titleOf } from './Parameter';
import { Touched } from './Touched';
import { Translations } from './Translations';
import { Users } from './Users';

/** The selected part: editable parameters, counters, sources. */
export default function Inspector() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const edited = useStore(session, (state) => state.changes > 0);
  const selected = useStore(selection, (state) => state.part);
  const part = machine?.parts[selected ?? -1];
  const reset = edited && (
    <Button look="link" onClick={resetAll}>
      Reset all
    </Button>
  );
  return (
    <Panel title="Inspector" tools={reset} scroll>
      {!machine && <EmptyState title="No machine">Open a scenario to see its parts.</EmptyState>}
      {machine && !part && <WholeMachine machine={machine} />}
      {machine && part && <OnePart key={part.name} machine={machine} part={part} />}
    </Panel>
  );
}

/** Parameters documented for this machine come before those documented for the part type. */
const isDocumentedHere = ({ original, spec, variable }: CompiledParam): boolean =>
  variable || original !== BigInt(spec.default);

interface OnePartProps {
  readonly machine: CompiledMachine;
  readonly part: CompiledPart;
}

function OnePart({ machine, part }: OnePartProps) {
  const actor = actorOf(machine.parts, part.index);
  const params = part.params.toSorted(
    (a, b) => Number(isDocumentedHere(b)) - Number(isDocumentedHere(a)),
  );
  const titles = params.map((param) => titleOf(param));
  const [doc, ...words] = useGlossaryText([part.type.doc, ...titles]);
  return (
    <>
      <PartHead part={{ actor, name: part.name }} doc={doc}>
        <h3>{part.title}</h3>
      </PartHead>
      <Touched machine={machine} />
      <Users part={part} />
      <Translations part={part} />
      {part.type.tables.some(({ loops }) => loops !== undefined) && (
        <div className={styles.back}>
          <Button look="link" onClick={() => runCommand('program.show')}>
            Programs beside the run
          </Button>
        </div>
      )}
      {part.params.length > 0 && (
        <Section title="Parameters" aside="tick: as in the scenario">
          <ActsFromChoice params={params} />
          {params.map((param, index) => (
            <Parameter key={param.path} part={part} param={param} words={words[index]} />
          ))}
        </Section>
      )}
      <Counters part={part} />
      <div className={styles.back}>
        <Button look="link" onClick={() => select({})}>
          Complete machine
        </Button>
      </div>
    </>
  );
}

/** Shown while nothing is selected: metrics of the run, changes, and the parts to select. */
function WholeMachine({ machine }: { readonly machine: CompiledMachine }) {
  return (
    <>
      <PartHead part={null}>
        <h3>Complete machine</h3>
      </PartHead>
      <Measures machine={machine} />
      <Commands machine={machine} />
      <Edited machine={machine} />
      <Section title="Parts" aside="pick one here or in the drawing">
        <PartList parts={machine.parts} onPick={(part) => select({ part })} />
      </Section>
    </>
  );
}

/** Parameters that differ from the scenario, and those that the scenario highlights. */
function Edited({ machine }: { readonly machine: CompiledMachine }) {
  const groups = useStore(session, (state) => state.data?.view.parameters) ?? [];
  const offered = groups.flatMap((group) => group.rows.map((row) => row.param));
  const rows = machine.parts.flatMap((part) =>
    part.params
      .filter((param) => param.edited || offered.includes(param.path))
      .map((param) => ({ part, param })),
  );
  const words = useGlossaryText(rows.map(({ part, param }) => titleOf(param, part.title)));
  if (rows.length === 0) return null;
  return (
    <Section title="Parameters" aside="of several parts">
      <ActsFromChoice params={rows.map(({ param }) => param)} />
      {rows.map(({ part, param }, index) => (
        <Parameter
          key={param.path}
          part={part}
          param={param}
          prefix={part.title}
          words={words[index]}
        />
      ))}
    </Section>
  );
}
