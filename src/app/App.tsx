import { Suspense, useEffect, useRef, useSyncExternalStore } from 'react';
import { begin } from '../base/activity';
import { announce } from '../base/notices';
import { route, type View } from '../base/route';
import { shell, showOverlay } from '../base/shell-state';
import { isCrossoverLab } from '../controllers/machine-features';
import { useStore } from '../controllers/useStore';
import { answerMask } from '../model/lesson/answer-mask';
import { lessonPanels } from '../model/lesson/lesson-panels';
import { openLesson } from '../model/lesson/open-lesson';
import { session as modelSession } from '../model/session/session';
import { loadable } from '../widgets/loadable';
import styles from './App.module.css';
import { OverlayBoundary } from './Boundaries';
import { DrawingDefs } from './DrawingDefs';
import { focusPanel, STEP_HEADING, skipToMain, useFocusOnArrival } from './focus';
import { type Layout, useLayout } from './layout';
import { Banners, LiveRegion } from './Messages';
import { dragging } from './opening/file-drop';
import { type OpenSession, session } from './opening/open-document';
import { PanelSlot } from './PanelSlot';
import { type Heading, pageTitleFor } from './page-title';
import { inSlot } from './panel-order';
import { allPanels, overlayPanel, panelsOf } from './panels';
import { LectureBar, PhoneBar } from './SmallBars';
import { Stacked } from './Stacked';
import { TopBar } from './TopBar';
import { Workspace } from './Workspace';

const palette = () => import('./Palette');
const Palette = loadable(palette);
const ShareSheet = loadable(() => import('./ShareSheet'));
const Embedded = loadable(() => import('./Embedded'));

export function App() {
  const place = useStore(route);
  const lecture = useStore(shell, (state) => state.lecture);
  const layout = useLayout(place.view);
  const note = useStore(shell, (state) => state.note);
  const heading = pageTitleFor(place, useOpenSession(), note);
  useEffect(() => {
    document.title = place.view === 'gallery' ? 'Busyard' : `${heading.title} · Busyard`;
    announce(heading.title);
  }, [place.view, heading.title]);
  useEffect(fetchPalette, []);
  const isUnderDialog = useStore(shell, (state) => state.overlay !== null);
  useFocusOnArrival(`${place.view}/${place.scenario ?? ''}`, isUnderDialog);
  const embed = useStore(shell, (state) => state.embed);
  if (embed) return <InFrame heading={heading} />;
  return (
    <div className={styles.page}>
      <DrawingDefs />
      <button type="button" className={styles.skip} onClick={skipToMain}>
        Skip to the contents
      </button>
      <SkipToLesson />
      <Bar heading={heading} layout={layout} lecture={lecture} />
      <Banners />
      <main className={styles.main} id="main" tabIndex={-1} aria-label={heading.title}>
        <ViewOf view={place.view} lecture={lecture} layout={layout} />
      </main>
      <LiveRegion />
      <Overlay />
      <DropHint />
      <Blank />
    </div>
  );
}

/** The second stop of the keyboard: the open question, or else the text of the lesson. */
function SkipToLesson() {
  const hasLesson = useStore(openLesson, (lesson) => lesson !== null);
  const asks = useStore(answerMask, (mask) => mask !== null);
  const view = useStore(route, (place) => place.view);
  if (!hasLesson || (view !== 'machine' && view !== 'lab')) return null;
  return (
    <button
      type="button"
      className={styles.skip}
      onClick={() => focusPanel('lesson', asks ? '[data-question]' : STEP_HEADING)}
    >
      {asks ? 'Skip to the question' : 'Skip to the lesson'}
    </button>
  );
}

/**
 * The open session, read again with each of its changes. While a slider moves in the lab of curves it holds: the panels
 * of the lab follow by themselves, and rendering all of the page takes longer than a frame.
 */
function useOpenSession(): OpenSession | null {
  const last = useRef(session.getState());
  return useStore(session, (now) => {
    const isLab = route.getState().view === 'lab' && isCrossoverLab.getState();
    if (!isLab || !modelSession.getState().dragging) last.current = now;
    return last.current;
  });
}

/** The page in a frame of another: the panels that the address names. */
function InFrame({ heading }: { readonly heading: Heading }) {
  return (
    <div className={styles.page}>
      <DrawingDefs />
      <Banners />
      <main className={styles.main} id="main" tabIndex={-1} aria-label={heading.title}>
        <Suspense fallback={null}>
          <Embedded heading={heading} />
        </Suspense>
      </main>
      <LiveRegion />
      <Overlay />
    </div>
  );
}

/** People type as soon as they open the palette, so it is loaded once the page is shown. */
function fetchPalette(): () => void {
  const end = begin();
  const fetchIt = () => palette().catch(() => undefined);
  const timer = setTimeout(() => fetchIt().then(end), 500);
  return () => {
    clearTimeout(timer);
    end();
  };
}

interface BarProps {
  readonly heading: Heading;
  readonly layout: Layout;
  readonly lecture: boolean;
}

function Bar({ heading, layout, lecture }: BarProps) {
  if (layout.kind === 'phone' || layout.kind === 'stacked') return <PhoneBar heading={heading} />;
  return lecture ? <LectureBar heading={heading} /> : <TopBar heading={heading} />;
}

interface ViewProps {
  readonly view: View;
  readonly lecture: boolean;
  readonly layout: Layout;
}

function ViewOf({ view, lecture, layout }: ViewProps) {
  const maximised = useStore(shell, (state) => state.maximised);
  const isSmall = layout.kind === 'phone' || layout.kind === 'stacked';
  const panels = useShownPanels(view, lecture, isSmall);
  const full = inSlot(panels, 'full');
  const alone = panels.find((panel) => panel.id === maximised);
  if (alone && !isSmall) return <PanelSlot panel={alone} canMaximise />;
  if (full.length > 0) {
    return full.map((panel) => <PanelSlot key={panel.id} panel={panel} canMaximise={false} />);
  }
  if (isSmall) return <Stacked panels={panels} />;
  const beside = inSlot(panels, 'right');
  const isReduced = beside.length === 0;
  const right = Math.max(layout.right, ...beside.map(({ width }) => width ?? 0));
  const own = isReduced && view === 'machine' ? withWideLesson(layout) : { ...layout, right };
  return <Workspace key={view} panels={panels} layout={own} />;
}

/** Without a right column the lesson is wider. */
const withWideLesson = (layout: Layout): Layout => ({
  ...layout,
  left: layout.left + 104,
  right: 0,
});

/** The panels of the view; `shown` decides which of the others appear. Small windows show one at a time anyway. */
function useShownPanels(view: View, lecture: boolean, isSmall: boolean) {
  const read = () => {
    const needed = view === 'machine' && !isSmall ? lessonPanels.getState() : null;
    return panelsOf(view, lecture)
      .map((panel) => panel.id)
      .filter((id) => needed?.has(id) ?? true)
      .join(' ');
  };
  const ids = useSyncExternalStore(subscribeToShown, read).split(' ');
  return allPanels.filter((panel) => ids.includes(panel.id));
}

function subscribeToShown(listener: () => void): () => void {
  const stops = allPanels.map((panel) => panel.shown?.subscribe(listener));
  stops.push(lessonPanels.subscribe(listener));
  return () => {
    for (const stop of stops) stop?.();
  };
}

const close = () => showOverlay(null);

const OVERLAYS: Readonly<Record<string, string>> = {
  palette: 'The list of all commands',
  share: 'The link',
};

function Overlay() {
  const overlay = useStore(shell, (state) => state.overlay);
  const panel = overlayPanel(overlay);
  return (
    <OverlayBoundary
      key={overlay}
      overlay={overlay}
      title={panel?.title ?? OVERLAYS[overlay ?? ''] ?? ''}
    >
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'share' && <ShareSheet onClose={close} />}
        {panel && <panel.component />}
      </Suspense>
    </OverlayBoundary>
  );
}

function DropHint() {
  return useStore(dragging) ? (
    <div className={styles.drop}>
      Drop the file to open it: scenario, session, lesson, gttp text or recording.
    </div>
  ) : null;
}

function Blank() {
  const blank = useStore(shell, (state) => state.blank && state.lecture);
  const back = () => shell.setState({ blank: false });
  return blank ? (
    <button
      type="button"
      className={styles.blank}
      aria-label="Show the page again"
      onClick={back}
    />
  ) : null;
}
