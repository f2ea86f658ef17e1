import { navigate } from '../../base/route';
import { lab } from '../../controllers/useLab';
import { useParameter } from '../../controllers/useParameter';
import { useStore } from '../../controllers/useStore';
import type { ParameterGroup } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';
import { resetAll, setParam } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Section } from '../../widgets/Section';
import { Select } from '../../widgets/Select';
import { SessionParameter } from '../../widgets/SessionParameter';
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
  const editable = useParameter(path)?.editable;
  if (!editable) return null;
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
  return (
    <SessionParameter path={path} title={title} onPreview={(on) => lab.preview(on ? path : null)} />
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
