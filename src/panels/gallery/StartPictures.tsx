import type { ReactNode } from 'react';
import { glyph } from '../../draw/glyph';
import { stateCell } from '../../draw/state-cell';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './StartPictures.module.css';

const SIZE = { width: 240, height: 96 };

interface BoxesProps {
  readonly from: number;
  readonly y: number;
  readonly count: number;
  readonly step: number;
  readonly by: 'cpu' | 'disk' | 'pio';
}

/** Equal pieces of work in a row. */
const Boxes = ({ from, y, count, step, by }: BoxesProps) =>
  Array.from({ length: count }, (_, at) => from + at * step).map((x) => (
    <rect key={x} x={x} y={y} width={Math.min(9, step - 2)} height={15} data-by={by} />
  ));

const Words = ({ x, y, children }: { x: number; y: number; children: ReactNode }) => (
  <text x={x} y={y}>
    {children}
  </text>
);

/** Words out, and the way back that is to be guessed. */
const bus = (
  <>
    <Words x={16} y={25}>
      4 words out
    </Words>
    <Boxes from={96} y={14} count={4} step={9} by="cpu" />
    <Words x={16} y={53}>
      4 words back
    </Words>
    <rect x={96.75} y={41.75} width={126} height={15} data-by="guess" />
    <text x={160} y={53.5} data-by="guess" textAnchor="middle">
      ?
    </text>
    <path d="M16 70H224" data-by="axis" />
    <Words x={16} y={86}>
      time
    </Words>
    <path d="M44 82H218m-5-4 6 4-6 4" data-by="guess" />
  </>
);

/** A processor that asks again and again, and one that is interrupted once. */
const waiting = (
  <>
    <Words x={16} y={25}>
      asks
    </Words>
    <Boxes from={76} y={13} count={10} step={14} by="cpu" />
    <Words x={16} y={53}>
      waits
    </Words>
    <rect x={76} y={41} width={108} height={15} data-by="wait" />
    <path d="M196 41.5l16 7-16 7z" data-by="disk" />
    <Words x={16} y={84}>
      card
    </Words>
    <rect x={76} y={72} width={120} height={14} data-by="disk" />
  </>
);

/** Many words one by one, or a block with software around it. */
const copies = (
  <>
    <Words x={16} y={27}>
      word by word
    </Words>
    <Boxes from={100} y={15} count={8} step={15} by="pio" />
    <Words x={16} y={71}>
      as a block
    </Words>
    <rect x={100.5} y={59.5} width={38} height={15} data-by="software" />
    <rect x={141} y={59} width={44} height={16} data-by="dma" />
    <rect x={187.5} y={59.5} width={32} height={15} data-by="software" />
    <text x={119} y={89} textAnchor="middle" data-by="small">
      set-up
    </text>
    <text x={203} y={89} textAnchor="middle" data-by="small">
      end
    </text>
  </>
);

/** A page with one address for the device and another in memory. */
const translation = (
  <>
    {[0, 1, 2, 3].map((row) => (
      <g key={row}>
        <rect
          x={20.5}
          y={9.5 + row * 20}
          width={68}
          height={16}
          data-by={row === 1 ? 'disk' : 'slot'}
        />
        <rect
          x={152.5}
          y={9.5 + row * 20}
          width={68}
          height={16}
          data-by={row === 3 ? 'page' : 'slot'}
        />
      </g>
    ))}
    <path d="M90 38C122 38 118 77 146 77m-6-4 7 4-7 4" data-by="guess" />
    <text x={54.5} y={41.5} textAnchor="middle" data-by="address">
      0x0
    </text>
    <text x={186.5} y={81.5} textAnchor="middle" data-by="address">
      0x100000
    </text>
  </>
);

/** A processor with the newest data, and a disk with an old copy. */
const oldData = (
  <>
    {[14, 134].map((x, at) => (
      <g key={x}>
        <rect x={x + 0.75} y={10.75} width={92} height={58} data-by="part" />
        <ShapeView
          shapes={[
            glyph(at === 0 ? 'cpu' : 'disk', x + 13, 24, 4.5),
            ...stateCell(x + 36, 24, 32, 32, at === 0 ? 'dirty' : 'stale'),
          ]}
        />
        <path d={`M${x + 46} 69V78`} data-by="wire" />
      </g>
    ))}
    <rect x={12} y={78} width={216} height={12} data-by="rail" />
    <path d="M12 78H228M12 90H228" data-by="rule" />
  </>
);

/** What each introductory lesson asks, and its picture. */
export const ASKED: Readonly<
  Record<string, { readonly question: string; readonly picture: ReactNode }>
> = {
  'start/bus': { question: 'Four words out, four words back. Which takes longer?', picture: bus },
  'start/waiting': { question: 'Keep asking, or wait to be told?', picture: waiting },
  'start/copies': { question: 'Is DMA always faster than copying by hand?', picture: copies },
  'start/translation': { question: 'Why does a device use other addresses?', picture: translation },
  'start/old-data': { question: 'Your file is saved. What does the disk get?', picture: oldData },
};

export const StartPicture = ({ children }: { readonly children: ReactNode }) => (
  <SvgView {...SIZE} fit="width" className={styles.picture}>
    {children}
  </SvgView>
);
