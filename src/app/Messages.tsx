import { useEffect } from 'react';
import { type Banner, closeBanner, closeToast, notices, type Toast } from '../base/notices';
import { useStore } from '../controllers/useStore';
import { Button, IconButton } from '../widgets/Button';
import styles from './Messages.module.css';

/** Messages about the whole page, below the top bar, until resolved or closed. */
export function Banners() {
  const banners = useStore(notices, (state) => state.banners);
  return (
    <div className={styles.banners}>
      {banners.map((banner) => (
        <BannerRow key={banner.id} banner={banner} />
      ))}
    </div>
  );
}

function BannerRow({ banner }: { readonly banner: Banner }) {
  const { id, kind, place, detail, actions = [], sticky } = banner;
  return (
    <div className={styles.banner} data-kind={kind} role={kind === 'note' ? 'status' : 'alert'}>
      <p>
        <b>{sentenceOf(banner)}</b> {place && <code>{place}</code>} {detail}
      </p>
      {actions.map((action) => (
        <Button key={action.title} size="small" onClick={action.run}>
          {action.title}
        </Button>
      ))}
      {!sticky && (
        <IconButton
          className={styles.close}
          icon="close"
          label="Close"
          onClick={() => closeBanner(id)}
        />
      )}
    </div>
  );
}

/** The title with a full stop, unless the detail continues it. */
const sentenceOf = ({ title, detail = '' }: Banner): string =>
  /[.?!]$/.test(title) || /^\p{Ll}/u.test(detail) ? title : `${title}.`;

/** Short confirmations, within a bar beside its title, where they cover nothing; the newest is shown. */
export function Toasts() {
  const newest = useStore(notices, (state) => state.toasts.at(-1));
  return (
    <div className={styles.toasts} role="status">
      {newest && <ToastRow key={newest.id} toast={newest} />}
    </div>
  );
}

/** Long enough to read a line twice. */
const TOAST_MS = 5000;

function ToastRow({ toast }: { readonly toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => closeToast(toast.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [toast.id]);
  return <div className={styles.toast}>{toast.text}</div>;
}

/** The page's live region. Two elements alternate, so that a repeated sentence is announced again. */
export function LiveRegion() {
  const { text, turn } = useStore(notices, (state) => state.spoken);
  const odd = turn % 2 === 1;
  return (
    <div className="visually-hidden" aria-live="polite" data-live>
      <p>{odd ? text : ''}</p>
      <p>{odd ? '' : text}</p>
    </div>
  );
}
