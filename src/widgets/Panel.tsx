import { type ReactNode, useContext } from 'react';
import { toggleAsText, toggleMaximised } from '../base/shell-state';
import { Icon } from './Icon';
import { HiddenNotice } from './Masked';
import styles from './Panel.module.css';
import { PanelContext } from './panels';

interface PanelProps {
  readonly title: ReactNode;
  /** Subtitle in a quiet tone. */
  readonly sub?: ReactNode;
  /** Controls at the right of the header. */
  readonly tools?: ReactNode;
  /** The same contents as sentences or a table; `T` shows it in place of the picture. */
  readonly textAlternative?: ReactNode;
  /** Makes the body scroll; drawings that fit themselves leave it out. */
  readonly scroll?: boolean;
  /** No header, as in dock strips; the title only names the region. */
  readonly bare?: boolean;
  /** The panel would answer the open question: picture and text alternative are replaced by a notice. */
  readonly masked?: boolean | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A sheet with a header: key box, title, tools. It is a labelled region; Alt and its digit focus it. */
export function Panel(props: PanelProps) {
  const { title, sub, tools, textAlternative, scroll, bare, masked, className, children } = props;
  const place = useContext(PanelContext);
  const heading = `${place.id}-title`;
  const asText = place.asText && textAlternative !== undefined;
  const body = `${styles.body} ${scroll || asText ? styles.scroll : ''}`;
  return (
    <section
      className={`${styles.panel} ${className ?? ''}`}
      id={place.id}
      data-sheet={place.id}
      data-has-text-alternative={textAlternative !== undefined || undefined}
      data-as-text={asText || undefined}
      data-can-maximise={place.canMaximise || undefined}
      aria-labelledby={heading}
      tabIndex={-1}
    >
      {bare || place.bare ? (
        <h2 className="visually-hidden" id={heading}>
          {title}
        </h2>
      ) : (
        <header className={styles.header}>
          {place.key && <span className={styles.key}>{place.key}</span>}
          <div className={styles.name}>
            <h2 id={heading}>{title}</h2>
            {sub && (
              <span className={styles.sub} title={typeof sub === 'string' ? sub : undefined}>
                {sub}
              </span>
            )}
          </div>
          <div className={styles.tools}>
            {tools}
            <PanelButtons hasTextAlternative={textAlternative !== undefined} />
          </div>
        </header>
      )}
      <ScrollRegion className={body} scrolls={Boolean(scroll || asText)} label={heading}>
        {masked ? <HiddenNotice /> : asText ? textAlternative : children}
      </ScrollRegion>
    </section>
  );
}

/** A body that scrolls must be focusable, or the keyboard could not scroll it. */
function ScrollRegion(props: {
  readonly className: string;
  readonly scrolls: boolean;
  readonly label: string;
  readonly children: ReactNode;
}) {
  if (!props.scrolls) return <div className={props.className}>{props.children}</div>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the panel around it is the landmark
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable contents must be reachable by keyboard
    <div className={props.className} role="group" tabIndex={0} aria-labelledby={props.label}>
      {props.children}
    </div>
  );
}

function PanelButtons({ hasTextAlternative }: { readonly hasTextAlternative: boolean }) {
  const { id, asText, maximised, canMaximise } = useContext(PanelContext);
  return (
    <span className={styles.buttons}>
      {hasTextAlternative && (
        <button
          type="button"
          aria-pressed={asText}
          aria-label={asText ? 'Show as picture' : 'Show as text'}
          title={asText ? 'Show as picture (T)' : 'Show as text (T)'}
          onClick={() => toggleAsText(id)}
        >
          <Icon name="text" />
        </button>
      )}
      {canMaximise && (
        <button
          type="button"
          aria-pressed={maximised}
          aria-label={maximised ? 'Back to all panels' : 'Maximise'}
          title={maximised ? 'Back to all panels (M)' : 'Maximise (M)'}
          onClick={() => toggleMaximised(id)}
        >
          <Icon name={maximised ? 'shrink' : 'expand'} />
        </button>
      )}
    </span>
  );
}
