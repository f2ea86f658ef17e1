import { showOverlay } from '../../base/shell-state';
import { useStore } from '../../controllers/useStore';
import { recording, type Recording as Shown } from '../../model/report/recording';
import { Dialog, DialogBody } from '../../widgets/Dialog';
import { Mappings } from './Mappings';
import styles from './Recording.module.css';
import { References } from './References';
import { Waves } from './Waves';

const close = () => showOverlay(null);

const KINDS: Readonly<Record<Shown['kind'], string>> = {
  allocator: 'Operations of the page allocator of an IOMMU, with its answers',
  mappings: 'Mappings that Linux recorded (events iommu and dma)',
  references: 'References to memory (din, or lackey)',
  waves: 'Signals over time (VCD)',
};

/** A recording of the reader's own, replayed. */
export default function Recording() {
  const { shown } = useStore(recording);
  if (!shown) return null;
  return (
    <Dialog title={shown.file.name} className={styles.dialog} onClose={close}>
      <DialogBody>
        <p>{KINDS[shown.kind]}. The file stays on this computer and is not kept.</p>
        {shown.kind === 'references' && <References file={shown.file} />}
        {shown.kind === 'waves' && <Waves file={shown.file} />}
        {(shown.kind === 'allocator' || shown.kind === 'mappings') && (
          <Mappings file={shown.file} kind={shown.kind} />
        )}
      </DialogBody>
    </Dialog>
  );
}
