/** Defects that exploration must detect, and the configuration in which each is detected. */
import type { Setup } from './proof-scenario';
import { LONG_PROOFS, NON_SNOOPING_CACHES, PROOFS } from './proofs';

export interface DefectProof extends Setup {
  readonly name: string;
  readonly title: string;
  /** Name of the configuration in which it is detected. */
  readonly config: string;
  /** Settings that differ from that configuration. */
  readonly broken: NonNullable<Setup['params']>;
}

const in_ = (part: string, fault: string) => ({ [part]: { fault } });

const fault = (
  name: string,
  title: string,
  config: string,
  broken: DefectProof['broken'],
): DefectProof => {
  const proof = [...PROOFS, ...LONG_PROOFS].find((one) => one.name === config);
  if (!proof) throw new Error(`There is no configuration ${config}.`);
  return {
    name,
    title,
    config,
    shape: proof.shape,
    broken,
    params: { ...proof.params, ...broken },
  };
};

/** Every defect, with its configuration. */
export const DEFECT_PROOFS: readonly DefectProof[] = [
  fault(
    'ok_while_dirty',
    'An owner answers OK while its line is dirty',
    'processors-2x1',
    in_('cache', 'ok_while_dirty'),
  ),
  fault(
    'ok_keeps_shared',
    'OK instead of shared while keeping a copy',
    'processors-2x1',
    in_('cache', 'ok_keeps_shared'),
  ),
  fault(
    'private_leaves_copy',
    'READ private leaves a shared copy',
    'processors-2x1',
    in_('cache', 'private_leaves_copy'),
  ),
  fault(
    'owner_stays_dirty',
    'The owner stays dirty after a copy to a READ shared',
    'processors-2x1',
    in_('cache', 'owner_stays_dirty'),
  ),
  fault(
    'copy_skips_memory',
    'A cache-to-cache copy does not update memory',
    'processors-2x1',
    in_('memory', 'copy_skips_memory'),
  ),
  fault(
    'victim_dropped',
    'A dirty victim is dropped',
    'processors-2x1',
    in_('cache', 'victim_dropped'),
  ),
  fault(
    'store_stays_clean',
    'A store hit does not set dirty',
    'processors-2x1',
    in_('cache', 'store_stays_clean'),
  ),
  fault(
    'buffer_not_snooped',
    'The write-back buffer is not snooped',
    'processors-2x1',
    in_('cache', 'buffer_not_snooped'),
  ),
  fault(
    'store_on_shared',
    'A store to a shared line without a bus transaction',
    'processors-2x1',
    in_('cache', 'store_on_shared'),
  ),
  fault(
    'old_state_in_miss',
    'A snoop during the cache’s own miss is answered from the old state',
    'processors-2x1',
    in_('cache', 'old_state_in_miss'),
  ),
  fault(
    'load_passes_store',
    'A load is answered from the copy that a queued store is about to replace',
    'store-queue-2x1',
    { cache: { fault: 'load_passes_store', store_queue: '1' } },
  ),
  fault(
    'hit_passes_store',
    'An access that hits does not wait for older stores to be ordered',
    'store-queue-2x2',
    { cache: { fault: 'hit_passes_store', store_queue: '1' } },
  ),
  fault(
    'miss_passes_store',
    'A line is requested before that of an older store',
    'store-queue-2x2',
    { cache: { fault: 'miss_passes_store', store_queue: '1' } },
  ),
  fault('wrong_index', 'A wrong virtual index in the directory', 'coherent-1x1', {
    services: { fault: 'wrong_index' },
    cache: { size: '8 KiB' },
  }),
  fault(
    'fast_on_ragged',
    'A fast write on a ragged edge whose other half is dirty',
    'coherent-1x1',
    in_('services', 'fast_on_ragged'),
  ),
  fault(
    'plain_fetch',
    'A safe write fetches its line with a plain read',
    'coherent-1x1',
    in_('adapter', 'plain_fetch'),
  ),
  fault(
    'ok_while_held',
    'The adapter answers OK at once while it holds the line',
    'coherent-1x1',
    in_('adapter', 'ok_while_held'),
  ),
  fault(
    'write_back_queued',
    "The adapter's write-back queues behind the request it stalls",
    'coherent-1x1',
    in_('adapter', 'write_back_queued'),
  ),
  fault(
    'purge_leaves_copy',
    'Purge writes leave shared copies',
    'coherent-1x1',
    in_('cache', 'purge_leaves_copy'),
  ),
  fault(
    'wrong_half',
    'The merge puts the half in the wrong place',
    'coherent-1x1',
    in_('adapter', 'wrong_half'),
  ),
  fault(
    'tlb_not_purged',
    'The TLB is not purged at unmap',
    'coherent-1x1',
    in_('services', 'tlb_not_purged'),
  ),
  fault(
    'purged_first',
    'The TLB is purged before the entry is cleared',
    'coherent-1x1',
    in_('services', 'purged_first'),
  ),
  fault(
    'prefetch_survives',
    'The prefetch buffer survives unmap',
    'coherent-1x1',
    in_('adapter', 'prefetch_survives'),
  ),
  fault(
    'prefetch_crosses',
    'Prefetch crosses the page',
    'coherent-1x1-end',
    in_('adapter', 'prefetch_crosses'),
  ),
  fault(
    'prefetch_on_written',
    'Prefetch on a page that the processor writes',
    'coherent-1x2',
    in_('services', 'prefetch_on_written'),
  ),
  fault(
    'lock_released',
    'Atomic mode is released between read and write',
    'coherent-1x1',
    in_('adapter', 'lock_released'),
  ),
  fault(
    'second_purge_omitted',
    'The second purge is omitted, with speculation',
    'noncoherent-1x2',
    in_('services', 'second_purge_omitted'),
  ),
  fault(
    'first_sync_omitted',
    'The first flush or purge is omitted',
    'noncoherent-2x1',
    in_('services', 'first_sync_omitted'),
  ),
  fault(
    'value_passes_posts',
    "A register's value passes the card's writes in the bridge",
    'card-1x1',
    in_('bridge', 'values_pass'),
  ),
  fault(
    'interrupt_passes_posts',
    "An interrupt passes the card's writes in the bridge",
    'card-1x1',
    in_('bridge', 'interrupts_pass'),
  ),
  fault(
    'value_passes_requests',
    "A register's value passes the card's writes in the adapter",
    'card-1x1',
    in_('adapter', 'values_pass'),
  ),
  fault(
    'lines_survive',
    "The bridge's lines survive a command",
    'card-1x1',
    in_('bridge', 'lines_survive'),
  ),
  fault(
    'reads_forgotten',
    'The bridge forgets a read that it has retried',
    'card-1x1',
    in_('bridge', 'reads_forgotten'),
  ),
  fault(
    'pages_not_purged',
    'When one of two mappings is undone, its translation is not purged',
    'ranges-1x2',
    in_('services', 'tlb_not_purged'),
  ),
  fault(
    'flush_left_out',
    'A flush that the pools request is omitted',
    'pools-1x2',
    in_('services', 'tlb_not_purged'),
  ),
  fault('freed_ahead', 'Lazy flush that forgets what is freed ahead of the cursor', 'pools-1x2', {
    pools: { flush: 'lazy' },
  }),
  fault(
    'entry_not_flushed',
    'A cleared entry is not flushed from the cache, and walks go past it',
    'walks-1x2',
    in_('pools', 'entry_not_flushed'),
  ),
  fault('new_not_flushed', 'Entries are never flushed, and walks go past them', 'walks-1x2', {
    pools: { flush_entries: false },
  }),
  fault(
    'page_not_purged',
    'A page is given back, and its translation is not purged',
    'walks-snooped',
    in_('pools', 'not_purged'),
  ),
  fault(
    'answers_early',
    'The IOMMU answers while accesses by the old translation are under way',
    'walks-snooped',
    in_('iommu', 'answers_early'),
  ),
  fault(
    'early_owner',
    'A descriptor changes hands before its bytes are written',
    'packets-shared',
    in_('ethernet', 'early_owner'),
  ),
  fault(
    'early_message',
    'A message is counted before it is written',
    'packets-shared',
    in_('kernel', 'early_message'),
  ),
  fault(
    'early_release',
    'A buffer goes back once its message is sent',
    'packets-shared',
    in_('tcpip', 'early_release'),
  ),
  fault(
    'released_twice',
    'A buffer goes back again with the next one',
    'packets-shared',
    in_('tcpip', 'released_twice'),
  ),
  fault(
    'lost_wake',
    'A thread checks for work, and blocks only in a later call',
    'packets-shared',
    in_('kernel', 'lost_wake'),
  ),
  fault(
    'cached_buffer',
    'Packets are cached, but the cache does not snoop the adapter',
    'packets-shared',
    { main_cache: NON_SNOOPING_CACHES },
  ),
  fault('packet_not_purged', 'A packet is read that was not purged', 'packets-cached', {
    tcpip: { purges: false, flushes: true },
  }),
  fault('copy_not_flushed', 'A copy is handed on that was not flushed', 'packets-cached', {
    tcpip: { purges: true, flushes: false },
  }),
  fault('no_inheritance', 'The owner of a lock inherits no priority', 'lock-1x3', {
    kernel: { inherit: false },
  }),
  fault('data_passes_stores', 'Data for a card overtakes stores in the bridge', 'bridge-order', {
    bridge: { relaxed: true },
  }),
  fault(
    'read_passes_writes',
    'A read passes writes that were posted before it',
    'bridge-order',
    in_('bridge', 'reads_pass'),
  ),
  fault(
    'status_passes_result',
    "A card's status passes its result in the bridge",
    'bridge-order',
    in_('bridge', 'values_pass'),
  ),
  fault(
    'ahead_survives',
    'Data that the bridge fetched ahead survives a write',
    'bridge-order',
    in_('bridge', 'lines_survive'),
  ),
  fault('lines_pass_stores', 'Data for a card overtakes stores on the rope', 'rope-1x1', {
    lba: { mr_streaming_relaxed: true },
  }),
  fault(
    'read_passes_posts',
    'A read passes the posted write before it on the rope',
    'rope-1x1',
    in_('lba', 'reads_pass'),
  ),
  fault(
    'status_passes_posts',
    "A card's status passes its result on the rope",
    'rope-1x1',
    in_('lba', 'values_pass'),
  ),
  fault(
    'interrupt_passes_result',
    "An interrupt passes the card's result on the rope",
    'rope-irq',
    in_('lba', 'interrupts_pass'),
  ),
  fault(
    'ahead_is_kept',
    'Data fetched ahead is kept after its read has ended',
    'rope-1x2',
    in_('lba', 'lines_survive'),
  ),
  fault(
    'completion_passes_stores',
    'A split completion overtakes stores on the rope',
    'rope-split',
    { lba: { mrm_streaming_relaxed: true } },
  ),
  fault(
    'ahead_past_unmap',
    'A prefetched line is requested past the unmap',
    'rope-unmap',
    in_('lba', 'reads_pass'),
  ),
  fault(
    'unmap_by_rules_alone',
    "Nothing but PCI's rules keeps a line ahead before the unmap",
    'rope-unmap',
    { lba: { any_legal: true } },
  ),
  fault(
    'value_passes_posts_anyhow',
    "A register's value passes a write that it must not pass, among all that may pass",
    'rope-any',
    in_('lba', 'values_pass'),
  ),
  fault(
    'ahead_outlasts_mapping',
    'Fetched data outlasts its mapping',
    'rope-unmap',
    in_('lba', 'lines_survive'),
  ),
  fault('current_keeps', 'Read Current keeps a line', 'rope-1x1', in_('sba', 'current_keeps')),
  fault(
    'line_not_recalled',
    "A processor's fetch leaves the line in the I/O cache",
    'io-cache-1x1',
    in_('sba', 'not_recalled'),
  ),
  fault(
    'processor_keeps_line',
    'A processor keeps the line that the I/O cache owns',
    'io-cache-1x1',
    in_('sba', 'takes_nothing'),
  ),
  fault(
    'write_past_line',
    "A device's write goes past its line in the I/O cache",
    'io-cache-shared',
    in_('sba', 'writes_past'),
  ),
  fault(
    'store_on_shared_line',
    'A store to a line shared with the I/O cache does not request ownership',
    'io-cache-shared',
    in_('cache0', 'stores_on_shared'),
  ),
];
