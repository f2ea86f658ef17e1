import encodeQR from 'qr';
import { useMemo } from 'react';
import { path, rect } from '../../draw/shape';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Worksheet.module.css';

/** Light modules around the code, as the standard requires. */
const QUIET = 4;

interface QrCodeProps {
  readonly address: string;
  /** What is found there: "step 4". */
  readonly leadsTo: string;
}

/** An address for the camera of a phone, with its words below. */
export function QrCode({ address, leadsTo }: QrCodeProps) {
  const modules = useMemo(() => encodeQR(address, 'raw', { ecc: 'low', border: QUIET }), [address]);
  const side = modules.length;
  const dark = modules.flatMap((row, y) => row.map((is, x) => (is ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <figure className={styles.qr}>
      <SvgView width={side} height={side} fit="width" label={`QR code to ${leadsTo}`}>
        <ShapeView shapes={[rect(0, 0, side, side, 'raisedf'), path(dark.join(''), 'inkf')]} />
      </SvgView>
      <figcaption>{leadsTo}</figcaption>
    </figure>
  );
}
