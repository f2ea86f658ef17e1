import { useMemo } from 'react';
import { useStore } from '../../controllers/useStore';
import { actorOf } from '../../draw/glyph';
import type { PortSpec } from '../../engine/manifest';
import { type Socket, setPartTitle } from '../../model/builder/build-file';
import {
  answersAt,
  choicesFor,
  type Draft,
  type DraftPart,
  partIn,
  peerOf,
  socketText,
} from '../../model/builder/draft';
import { offerText } from '../../model/builder/offers';
import { Button, IconButton } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { PartHead } from '../../widgets/PartHead';
import { Section } from '../../widgets/Section';
import { Field } from './Field';
import { Whole } from './MachineText';
import { Params } from './Params';
import styles from './Sheet.module.css';
import {
  type BuildState,
  build,
  choose,
  remove,
  takeOffer,
  unwire,
  wireFrom,
  wireTo,
} from './state';
import { useBuild } from './useBuild';
import { useOffers } from './useOffers';

/** The selected part: its name, wires and parameters. */
export default function Sheet() {
  const draft = useBuild((state: BuildState) => state.draft);
  const chosen = useStore(build, (state) => state.chosen);
  const part = chosen === null ? undefined : partIn(draft, chosen);
  return (
    <Panel title="Part" scroll>
      {part ? <OnePart key={part.name} part={part} draft={draft} /> : <Whole />}
    </Panel>
  );
}

interface PartProps {
  readonly part: DraftPart;
  readonly draft: Draft;
}

function OnePart({ part, draft }: PartProps) {
  const { name, title, type } = part;
  return (
    <>
      <PartHead
        part={{ actor: actorOf(draft.parts, draft.parts.indexOf(part)), name }}
        doc={
          <>
            <b>{type.title}.</b> {type.doc}
          </>
        }
      >
        <Field
          label="Title"
          value={title}
          make={(file, next) => setPartTitle(file, name, next)}
          words={(next) => `It is ${next} now.`}
        />
      </PartHead>
      <Section title="Wires" aside="client: needs a server">
        {type.ports.map((port) => (
          <Port key={port.name} part={part} port={port} draft={draft} />
        ))}
      </Section>
      <Answers part={part} draft={draft} />
      <Params part={part} />
      <div className={styles.foot}>
        <Button size="small" onClick={() => remove(name)}>
          Remove
        </Button>
        <Button look="link" onClick={() => choose(null)}>
          Complete machine
        </Button>
      </div>
    </>
  );
}

/** The addresses at which programs reach this part. */
function Answers({ part, draft }: PartProps) {
  const answers = useMemo(() => answersAt(draft, part.name), [draft, part.name]);
  if (answers.length === 0) return null;
  return (
    <Section title="Addresses" aside="as processors see them">
      <ul>
        {answers.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Section>
  );
}

interface PortProps extends PartProps {
  readonly port: PortSpec;
}

/** The wires of a port, and its first free slot. */
function Port({ part, port, draft }: PortProps) {
  const places = Array.from({ length: port.count }, (_, index): Socket => {
    return { part: part.name, port: port.name, index };
  });
  const taken = places.filter((socket) => peerOf(draft, socket));
  const free = places.find((socket) => !peerOf(draft, socket));
  const left = port.count - taken.length;
  return (
    <div className={styles.port} data-needs={(port.required && taken.length === 0) || undefined}>
      <p title={port.doc}>
        <b>{port.name}</b> {port.role === 'client' ? 'client of' : 'serves'}{' '}
        <code>{port.protocol}</code>
        {port.count > 1 && <em>{left} free</em>}
        {port.required && taken.length === 0 && <em>must be wired</em>}
      </p>
      <ul>
        {taken.map((socket) => (
          <Taken key={socket.index} socket={socket} draft={draft} />
        ))}
      </ul>
      {free && <Free socket={free} draft={draft} />}
    </div>
  );
}

function Taken({ socket, draft }: { readonly socket: Socket; readonly draft: Draft }) {
  const peer = peerOf(draft, socket);
  if (!peer) return null;
  const text = socketText(draft, peer);
  return (
    <li>
      <span aria-hidden="true">→</span>
      <Button look="link" onClick={() => choose(peer.part)}>
        {text}
      </Button>
      <IconButton
        icon="close"
        label={`Remove the wire from ${socketText(draft, socket)} to ${text}`}
        onClick={() => unwire(socket)}
      />
    </li>
  );
}

const isSame = (a: Socket | null, b: Socket): boolean =>
  a?.part === b.part && a.port === b.port && a.index === b.index;

/** Offers the possible ends of a wire from here, and the others with their reasons. */
function Free({ socket, draft }: { readonly socket: Socket; readonly draft: Draft }) {
  const open = useStore(build, (state) => isSame(state.from, socket));
  const file = useStore(build, (state) => state.file);
  const { parts: offers } = useOffers(file, open ? [socket] : []);
  if (!open)
    return (
      <Button look="link" onClick={() => wireFrom(socket)}>
        Wire {socketText(draft, socket)} to…
      </Button>
    );
  const all = choicesFor(draft, socket);
  const refused = all.filter(({ why }) => why !== null);
  return (
    <div className={styles.choices}>
      {all
        .filter(({ why }) => why === null)
        .map(({ to, also }) => {
          const text = socketText(draft, to);
          const more = also.map((ends) => ends.map((end) => socketText(draft, end)).join(' to '));
          return (
            <Button key={text} size="small" onClick={() => wireTo(to)}>
              {text}
              {more.length > 0 && ` and ${more.join(', ')}`}
            </Button>
          );
        })}
      {refused.length === all.length && (
        <p>No part of this machine fits it yet. Parts that would are blue in the list of parts.</p>
      )}
      {refused.length === all.length &&
        offers.map((offer) => (
          <Button key={offerText(offer)} size="small" onClick={() => takeOffer(offer)}>
            {offerText(offer)}
          </Button>
        ))}
      {refused.length > 0 && (
        <details>
          <summary>Why not the others</summary>
          <ul>
            {refused.map(({ to, why }) => (
              <li key={`${to.part}.${to.port}`}>
                <code>
                  {to.part}.{to.port}
                </code>{' '}
                {why}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Button look="link" onClick={() => wireFrom(null)}>
        Cancel
      </Button>
    </div>
  );
}
