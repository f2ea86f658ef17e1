/** The buttons of the sandbox: labels, keys and accessible names. */
import type { SandboxAgent, SandboxStep } from '../../model/sandbox/sandbox';

interface SandboxButton {
  readonly does: SandboxStep['does'];
  readonly title: string;
  readonly key: string;
  /** "CPU 0: read the line" */
  readonly label: string;
}

const cpu = (name: string, keys: readonly [string, string, string, string]): SandboxButton[] => [
  { does: 'read', title: 'Read', key: keys[0], label: `${name}: read` },
  { does: 'write', title: 'Write', key: keys[1], label: `${name}: write` },
  { does: 'flush', title: 'Flush', key: keys[2], label: `${name}: flush` },
  { does: 'purge', title: 'Purge', key: keys[3], label: `${name}: purge` },
];

export const BUTTONS: Readonly<Record<SandboxAgent, readonly SandboxButton[]>> = {
  cpu0: cpu('CPU 0', ['1', '2', '3', '4']),
  cpu1: cpu('CPU 1', ['5', '6', '7', '8']),
  driver: [
    { does: 'map', title: 'Map', key: '9', label: 'Driver: map' },
    { does: 'unmap', title: 'Unmap', key: '0', label: 'Driver: unmap' },
    {
      does: 'sync_out',
      title: 'Sync out',
      key: 'O',
      label: 'Driver: dma_sync before the disk reads',
    },
    {
      does: 'sync_in',
      title: 'Sync in',
      key: 'I',
      label: 'Driver: dma_sync for a write of the disk',
    },
  ],
  disk: [
    { does: 'read', title: 'Read', key: 'Q', label: 'Disk: read' },
    { does: 'write', title: 'Write', key: 'E', label: 'Disk: write' },
  ],
};
