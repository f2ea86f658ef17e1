import { createStore } from '../../base/store';
import { useCoherent } from '../../controllers/useCoherence';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import '../../widgets/states.css';
import { CacheMaps, MapsText } from './CacheMaps';
import { PageChoice, PageText, PageView } from './PageView';
import { ProtocolChoice, ProtocolText, ProtocolView } from './ProtocolView';
import { useShownPage } from './useShownPage';

type Shown = 'page' | 'caches' | 'protocol';

const CHOICES: readonly {
  readonly value: Shown;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'page', title: 'page', hint: 'The holders of each line of a page' },
  { value: 'caches', title: 'caches', hint: 'Every line of every cache' },
  { value: 'protocol', title: 'rules', hint: 'The protocol and the row just taken' },
];

/** The selected view, kept when the panel is maximised or closed. */
const choice = createStore<{ shown: Shown; cache: number | null }>({ shown: 'page', cache: null });

/** The holders and states of lines, and the rules of the protocol. */
export default function CacheLines() {
  useRun();
  const coherent = useCoherent();
  const { shown, cache } = useStore(choice);
  const [page, setPage] = useShownPage(coherent);
  if (!coherent || coherent.caches.length === 0)
    return (
      <Panel title="Cache lines">
        <EmptyState title="No caches">This machine has no caches that snoop.</EmptyState>
      </Panel>
    );
  const tools = (
    <>
      {shown === 'page' && <PageChoice coherent={coherent} page={page} onChange={setPage} />}
      {shown === 'protocol' && (
        <ProtocolChoice
          coherent={coherent}
          cache={cache}
          onChange={(next) => choice.setState({ cache: next })}
        />
      )}
      <Segmented
        label="Lines of"
        options={CHOICES}
        value={shown}
        onChange={(next) => choice.setState({ shown: next })}
      />
    </>
  );
  return (
    <Panel
      title="Cache lines"
      tools={tools}
      textAlternative={
        <>
          {shown === 'page' && <PageText coherent={coherent} page={page} />}
          {shown === 'caches' && <MapsText coherent={coherent} />}
          {shown === 'protocol' && <ProtocolText coherent={coherent} cache={cache} />}
        </>
      }
    >
      {shown === 'page' && <PageView coherent={coherent} page={page} />}
      {shown === 'caches' && <CacheMaps coherent={coherent} />}
      {shown === 'protocol' && <ProtocolView coherent={coherent} cache={cache} />}
    </Panel>
  );
}
