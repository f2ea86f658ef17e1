import { integer, text, time } from '../../base/format';
import { useCommands } from '../../controllers/useCommands';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useScale } from '../../controllers/useStore';
import {
  type Journey as JourneyState,
  journeyOf,
  journeySentences,
  journeyShapes,
  type SealedFrom,
} from '../../draw/realtime/packet-journey';
import { stepOf } from '../../model/realtime/packet-log';
import { player } from '../../model/session/open-run';
import { select } from '../../model/session/selection';
import { IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './RealTime.module.css';
import { realTimeNow, recordedUntil, useHidesRealTime } from './realtime-now';

/** Counters that tell whether a packet is copied, and how long it takes. */
const OF_COPIES = ['copied', 'in_carry'];
const OF_LENGTH = ['latency', 'latency_most', 'late'];

let drawn: { key: string; journey: JourneyState | null } = { key: '', journey: null };

/** The packet being processed at the playhead; the same object while nothing changes. */
function journeyNow(sealedFrom: SealedFrom | null): JourneyState | null {
  const now = realTimeNow();
  const { timePs } = player.now();
  const packet = now?.log.packetAt(timePs) ?? null;
  if (!now || packet === null) return null;
  const until = Math.min(recordedUntil(), player.state.getState().endPs);
  const { recorded, opened } = player.state.getState();
  const key = `${opened} ${recorded} ${packet} ${until} ${sealedFrom}`;
  if (key !== drawn.key) drawn = { key, journey: journeyOf(now.log, packet, until, sealedFrom) };
  return drawn.journey;
}

/** Goes to the time at which the previous or next packet was accepted. */
function step(by: 1 | -1): void {
  const now = realTimeNow();
  const { timePs } = player.now();
  const packet = now?.log.packetAt(timePs);
  if (!now || !packet) return;
  const next = now.log.packets.story(packet + by);
  const taken = next && stepOf(next, 'taken');
  if (!taken || taken.timePs > recordedUntil()) return;
  player.pause();
  select({ event: taken.seq });
  void player.toTime(taken.timePs);
}

/** One packet from the wire to the application: its bytes, its processing, its copies. */
export default function Journey() {
  useRun();
  const [asksCopies, asksLength] = [useHidesRealTime(...OF_COPIES), useHidesRealTime(...OF_LENGTH)];
  const journey = useFrameValue(() =>
    journeyNow(asksCopies ? 'taken' : asksLength ? 'delivered' : null),
  );
  const sealed = (asksCopies || asksLength) && (
    <SealedPart what={asksCopies ? 'its copies' : 'its time'} />
  );
  useCommands([
    {
      id: 'packet.next',
      title: 'Next packet',
      section: 'Time',
      keys: ['N'],
      run: () => step(1),
    },
    {
      id: 'packet.previous',
      title: 'Previous packet',
      section: 'Time',
      keys: ['P'],
      run: () => step(-1),
    },
  ]);
  return (
    <Panel
      title={journey ? `Packet ${integer(journey.packet)}` : 'Path of a packet'}
      sub={journey && !sealed && <Total journey={journey} />}
      tools={
        <span className={styles.beside}>
          <IconButton icon="previous" label="Previous packet" keys="P" onClick={() => step(-1)} />
          <IconButton icon="next" label="Next packet" keys="N" onClick={() => step(1)} />
        </span>
      }
      textAlternative={
        journey ? (
          <TextAlternative summary={sealed} sentences={journeySentences(journey)} />
        ) : (
          <TextAlternative summary="No packet has arrived yet." />
        )
      }
    >
      <div className={styles.split}>
        {journey ? <Sheet journey={journey} /> : <EmptyState title="No packet has arrived yet." />}
        {sealed}
      </div>
    </Panel>
  );
}

const COPIES = ['no copy', '1 copy', '2 copies'];

function Total({ journey: { copies, ended, from, to } }: { readonly journey: JourneyState }) {
  const how = COPIES[copies] ?? `${integer(copies)} copies`;
  return ended ? `${how}, ${text(time(to - from, 3))}` : `${how} so far`;
}

function Sheet({ journey }: { readonly journey: JourneyState }) {
  const [box, { width, height }] = useSize();
  const scale = useScale();
  const sheet = { width: width / scale, height: height / scale };
  const group = useLiveGroup(() =>
    width > 0 ? journeyShapes(journey, { ...sheet, playheadPs: player.now().timePs }) : [],
  );
  return (
    <div className={styles.box} ref={box}>
      <SvgView {...sheet} scale={scale} label={journeySentences(journey)[0] ?? ''}>
        <g ref={group} />
      </SvgView>
    </div>
  );
}
