import { integer, percent } from '../../base/format';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { type FreeRoom, freeRoomByPool, REQUESTS } from '../../draw/pools/room';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { poolName, poolsNow, usePoolViews } from './pools-now';
import styles from './RoomTable.module.css';

/** Fragmentation as a table: the share of each pool's free entries that requests of n entries could use. */
export default function RoomTable() {
  useRun();
  usePoolViews();
  const now = useFrameValue(poolsNow);
  const rooms = now ? freeRoomByPool(now.map) : [];
  return (
    <Panel
      title="Room for requests"
      sub="share of the free entries that they can use"
      className={styles.panel ?? ''}
      scroll
    >
      {rooms.length === 0 ? (
        <EmptyState title="The pool map appears with the first frame of the run." />
      ) : (
        <div className={styles.sheet}>
          <table>
            <caption className="visually-hidden">
              Share of the free entries of each pool that requests of n entries can use
            </caption>
            <thead>
              <tr>
                <th scope="col">pool</th>
                <th scope="col">free</th>
                <th scope="col">longest</th>
                {REQUESTS.map((pages, i) => (
                  <th key={pages} scope="col">
                    {i === 0 ? `n = ${pages}` : pages}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rooms.map((room) => (
                <RoomRow key={room.pool?.number ?? 'all'} room={room} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function RoomRow({ room: { pool, free, longest, shares } }: { readonly room: FreeRoom }) {
  return (
    <tr>
      <th scope="row">{pool ? poolName(pool).replace(/^the /, '') : 'all'}</th>
      <td>{integer(free)}</td>
      <td>{integer(longest)}</td>
      {shares.map((share, i) => (
        <td
          key={REQUESTS[i]}
          className={styles.share}
          style={{ '--share': `${Math.round(share * 60)}%` } as React.CSSProperties}
        >
          {percent(share * 100, 0)}
        </td>
      ))}
    </tr>
  );
}
