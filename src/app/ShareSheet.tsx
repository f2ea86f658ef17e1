import { useEffect, useRef, useState } from 'react';
import { runCommand } from '../base/commands';
import { count, integer } from '../base/format';
import { showToast } from '../base/notices';
import { useStore } from '../controllers/useStore';
import { answers, scenarioKey } from '../model/session/answers';
import { linkCode } from '../model/session/link';
import { Button } from '../widgets/Button';
import { Dialog } from '../widgets/Dialog';
import { ErrorNotice } from '../widgets/Feedback';
import { session } from './opening/open-document';
import styles from './ShareSheet.module.css';

/** Mail and chat programs begin to break addresses near this length, in characters. */
const LONG_LINK = 2000;

/**
 * The session as one address, shown so that it can be copied by hand where the clipboard is not available.
 */
export default function ShareSheet({ onClose }: { onClose(): void }) {
  const open = useStore(session);
  const [link, setLink] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [withAnswers, bring] = useState(false);
  const given = useStore(answers, (all) => (open ? all[scenarioKey(open)] : undefined));
  const answered = Object.keys(given ?? {}).length;
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    let current = true;
    setLink(null);
    linkCode({ withAnswers }).then(
      (code) => current && setLink(`${location.href.split('#')[0]}#s=${code}`),
      (error: Error) => current && setFailure(error.message),
    );
    return () => {
      current = false;
    };
  }, [withAnswers]);
  useEffect(() => {
    if (link) field.current?.select();
  }, [link]);

  async function copy(): Promise<void> {
    if (!link) return;
    try {
      await navigator.clipboard.writeText(link);
      showToast(`Link copied, ${integer(link.length)} characters.`);
      onClose();
    } catch {
      field.current?.select();
      setFailure(
        'The browser does not let this page write to the clipboard. Copy the marked text.',
      );
    }
  }

  return (
    <Dialog title="Share by link" onClose={onClose}>
      <div className={styles.sheet}>
        <p>
          The link holds the whole session: scenario, {count(open?.changes ?? 0, 'change')}, seed
          and place in time. Nothing is stored on a server.
        </p>
        <div className={styles.row}>
          <input ref={field} readOnly aria-label="Link to this session" value={link ?? ''} />
          <Button look="primary" disabled={!link} onClick={() => void copy()}>
            Copy link
          </Button>
        </div>
        {answered > 0 && (
          <label className={styles.choice}>
            <input
              type="checkbox"
              checked={withAnswers}
              onChange={({ target }) => bring(target.checked)}
            />
            With my {count(answered, 'answer')} to the questions of its lesson
          </label>
        )}
        {failure && <ErrorNotice title="Not copied" detail={failure} />}
        {link && link.length > LONG_LINK && (
          <p>
            At {integer(link.length)} characters it may be cut by a mail program; a file is safer.{' '}
            <Button look="link" onClick={() => runCommand('file.save')}>
              Save as a file
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  );
}
