import { useState } from 'react';
import { navigate } from '../../base/route';
import { useGesture } from '../../controllers/useGesture';
import { useStore } from '../../controllers/useStore';
import { paramAt } from '../../model/scenario/compile';
import { type EditableNumber, editableParam } from '../../model/scenario/editable-param';
import type { ParameterGroup } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';
import { resetAll, setParam } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { ParameterRow } from '../../widgets/ParameterRow';
import { Section } from '../../widgets/Section';
import { Select } from '../../widgets/Select';
import { originalNumber } from './original-value';
import styles from './Parameters.module.css';

/** The scenario's adjustable costs, in its groups, each with its basis. */
export default function Parameters() {
  const data = useStore(session, (state) => state.data);
  const edited = useStore(session, (state) => state.changes > 0);
  const reset = edited && (
    <Button look="link" onClick={resetAll}>
      Reset all
    </Button>
  );
  const groups = data?.view.parameters ?? [];
  return (
    <Panel title="Parameters" tools={reset} scroll>
      {groups.length === 0 && <EmptyState title="This scenario offers no parameters." />}
      {groups.map((group) => (
        <Group key={group.title} group={group} />
      ))}
      {data && <Related scenario={data.id} system={data.system} />}
    </Panel>
  );
}

function Group({ group }: { readonly group: ParameterGroup }) {
  return (
    <Section title={group.title} aside={group.note}>
      {group.rows.map((row) => (
        <Row key={row.param} path={row.param} title={row.title} />
      ))}
    </Section>
  );
}

function Row({ path, title }: { readonly path: string; readonly title: string }) {
  const machine = useStore(session, (state) => state.machine);
  const param = machine ? paramAt(machine, path) : undefined;
  const part = machine?.parts.find((one) => param && one.params.includes(param));
  const editable = part && param ? editableParam(part, param) : null;
  if (!part || !param || !editable) return null;
  if (editable.kind === 'choice')
    return (
      <div className={styles.choice}>
        <Select
          label={title}
          showLabel
          options={editable.options}
          value={editable.value}
          onChange={(value) => setParam(path, editable.written(value), { commit: true })}
        />
      </div>
    );
  const origin = { basis: param.basis, source: param.source, note: param.spec.doc };
  return <NumberRow {...{ path, title, editable, origin }} doc={param.spec.doc} />;
}

interface NumberRowProps {
  readonly path: string;
  readonly title: string;
  readonly doc: string;
  readonly editable: EditableNumber;
  readonly origin: Parameters<typeof ParameterRow>[0]['origin'];
}

function NumberRow({ path, title, doc, editable, origin }: NumberRowProps) {
  const [refused, setRefused] = useState<string>();
  const before = useStore(session, (state) => state.before);
  const set = (value: number, commit: boolean) => {
    const problem = setParam(path, editable.text(value), { commit });
    setRefused(problem?.message);
  };
  const { finish, ...gesture } = useGesture(set);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only records that the focus leaves its controls
    <div onBlur={finish}>
      <ParameterRow
        label={title}
        doc={doc}
        {...editable}
        defaultValue={editable.original}
        was={originalNumber(editable, before === null ? null : before[path])}
        origin={origin}
        refused={refused}
        {...gesture}
      />
    </div>
  );
}

/** Other scenarios of the same system: the meaning of the numbers for a program. */
function Related({ scenario, system }: { readonly scenario: string; readonly system: string }) {
  const others = listScenarios().filter((one) => one.system === system && one.id !== scenario);
  if (others.length === 0) return null;
  return (
    <Section title="On the same system">
      <ul className={styles.related}>
        {others.map(({ id, title, kind }) => (
          <li key={id}>
            <Button look="link" onClick={() => navigate({ view: kind, scenario: id })}>
              {title}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
