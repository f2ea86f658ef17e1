/** Commands of the frame. Panels bring their own. */
import { whileBusy } from '../base/activity';
import { type Command, commands } from '../base/commands';
import { showToast } from '../base/notices';
import { request } from '../base/recent';
import { fetched } from '../base/retry-import';
import { navigate, route } from '../base/route';
import { shell, showOverlay, toggleAsText, toggleMaximised } from '../base/shell-state';
import { answersOf, scenarioKey } from '../model/session/answers';
import { loadedSessionModule, sessionModule } from '../model/session/session-module';
import { download, fileName } from '../widgets/download';
import { currentPanel, focusPanel } from './focus';
import { session } from './opening/open-document';
import { singlePage } from './opening/single-page';
import { inSlot } from './panel-order';
import { allPanels, panelsOf } from './panels';
import { chooseTheme, setSingleKeys, toggleTheme } from './theme';

const hasSession = () => session.getState() !== null;
const hasAnswers = () => {
  const open = session.getState();
  return open !== null && answersOf(scenarioKey(open)) !== undefined;
};
/** A scenario from a file keeps that file's name: a lab has the name of its student. */
function saveName(): string {
  const { scenario } = sessionModule().currentDocument();
  const own = 'text' in scenario ? scenario.name.replace(/(\.(scenario|busyard))?\.json$/, '') : '';
  return own || fileName(session.getState()?.title ?? '');
}

const toggle = (field: 'lecture' | 'blank') => () =>
  shell.setState((state) => ({ [field]: !state[field] }));

const save = (kind: string, contents: string): void =>
  download(`${saveName()}.${kind}.json`, contents, 'application/json');

async function savePage(): Promise<void> {
  const title = session.getState()?.title ?? '';
  try {
    const page = await singlePage(sessionModule().saveText(), title);
    download(`${fileName(title)}.html`, page, 'text/html');
  } catch (error) {
    showToast(`The page was not saved. ${(error as Error).message}`);
  }
}

const files: readonly Command[] = [
  {
    id: 'file.open',
    title: 'Open a file',
    section: 'Session',
    keys: ['Ctrl+O'],
    keywords: ['scenario', 'session', 'gttp', 'load'],
    run: () => request({ kind: 'choose-file' }),
  },
  {
    id: 'file.save',
    title: 'Save as session file',
    section: 'Session',
    keys: ['Ctrl+S'],
    keywords: ['save', 'download'],
    hint: 'resumes where you left off',
    menu: 'export',
    when: hasSession,
    run: () => save('session', sessionModule().saveText()),
  },
  {
    id: 'file.save-answers',
    title: 'Save as session file with my answers',
    section: 'Session',
    keywords: ['save', 'download', 'questions', 'lesson', 'hand in'],
    hint: 'includes your answers to its lesson',
    menu: 'export',
    when: hasAnswers,
    run: () => save('session', sessionModule().saveText({ withAnswers: true })),
  },
  {
    id: 'file.save-scenario',
    title: 'Save as scenario file',
    section: 'Session',
    keywords: ['save', 'download', 'json'],
    hint: 'as it was opened',
    menu: 'export',
    when: hasSession,
    run: () => save('scenario', sessionModule().scenarioFileText()),
  },
  {
    id: 'file.save-page',
    title: 'Save as one HTML page',
    section: 'Session',
    keywords: ['html', 'download', 'mail', 'offline', 'engine'],
    hint: 'opens from a disk, engine included',
    menu: 'export',
    when: hasSession,
    run: () => whileBusy(savePage()),
  },
  {
    id: 'share',
    title: 'Share by link',
    section: 'Session',
    keywords: ['copy', 'url'],
    when: hasSession,
    run: () => showOverlay('share'),
  },
  {
    id: 'watch',
    title: 'Check invariants after every event',
    section: 'Session',
    keywords: ['watch', 'coherence', 'one writer', 'stale', 'lost data', 'deadlock'],
    hint: 'on or off; violations are reported as events',
    when: () => loadedSessionModule()?.canWatch() ?? false,
    run: () => sessionModule().toggleWatched(),
  },
  {
    id: 'check-drivers',
    title: 'Check how drivers use mappings',
    section: 'Session',
    keywords: ['contract', 'leak', 'double unmap', 'dma_sync', 'direction', 'overlap', 'driver'],
    hint: 'on or off; violations are reported as events, with both places',
    when: () => loadedSessionModule()?.canCheckDrivers() ?? false,
    run: () => sessionModule().toggleChecked(),
  },
  {
    id: 'undo',
    title: 'Undo',
    section: 'Session',
    keys: ['Ctrl+Z'],
    unavailable: 'nothing to undo',
    when: () => session.getState()?.canUndo ?? false,
    run: () => sessionModule().undoEdit(),
  },
  {
    id: 'reset',
    title: 'Reset all changes',
    section: 'Session',
    keywords: ['start over', 'original', 'as published'],
    unavailable: 'nothing was changed',
    when: () => (session.getState()?.changes ?? 0) > 0,
    run: () => sessionModule().resetAll(),
  },
  {
    id: 'redo',
    title: 'Redo',
    section: 'Session',
    keys: ['Ctrl+Y', 'Ctrl+Shift+Z'],
    unavailable: 'nothing to redo',
    when: () => session.getState()?.canRedo ?? false,
    run: () => sessionModule().redoEdit(),
  },
];

const page: readonly Command[] = [
  {
    id: 'palette',
    title: 'Command palette',
    section: 'Page',
    keys: ['Ctrl+K'],
    keyOnly: true,
    run: () => showOverlay(shell.getState().overlay === 'palette' ? null : 'palette'),
  },
  {
    id: 'keys',
    title: 'Key help',
    section: 'Page',
    keys: ['?'],
    keywords: ['keyboard', 'shortcuts', 'help'],
    run: () => showOverlay('keys'),
  },
  {
    id: 'lecture',
    title: 'Projector mode',
    section: 'Page',
    keys: ['L'],
    brief: 'leave projector mode',
    keywords: ['lecture', 'beamer', 'large'],
    run: toggle('lecture'),
  },
  {
    id: 'lecture.leave',
    title: 'Leave projector mode',
    section: 'Page',
    keys: ['Escape'],
    keyOnly: true,
    when: () => shell.getState().lecture,
    run: toggle('lecture'),
  },
  {
    id: 'blank',
    title: 'Blank the projector',
    section: 'Page',
    keys: ['.'],
    brief: 'blank',
    keyOnly: true,
    when: () => shell.getState().lecture,
    run: toggle('blank'),
  },
  {
    id: 'theme',
    title: 'Light or dark',
    section: 'Page',
    keywords: ['theme', 'night', 'contrast'],
    run: toggleTheme,
  },
  {
    id: 'theme.system',
    title: 'Light or dark as the system has it',
    section: 'Page',
    keywords: ['theme'],
    when: () => shell.getState().themeChoice !== 'system',
    run: () => chooseTheme('system'),
  },
  {
    id: 'print',
    title: 'Print this page',
    section: 'Page',
    keywords: ['pdf', 'paper'],
    run: () => window.print(),
  },
  {
    id: 'single-keys',
    title: 'Single-letter keys on or off',
    section: 'Page',
    keywords: ['shortcuts', 'accessibility', 'dictation'],
    run: () => setSingleKeys(!shell.getState().singleKeys),
  },
];

const panelCommands: readonly Command[] = [
  {
    id: 'panel.maximise',
    title: 'Maximise panel',
    section: 'Panels',
    keys: ['M'],
    when: () => shell.getState().maximised !== null || canMaximise(),
    run: () => toggleMaximised(shell.getState().maximised ?? currentPanel()?.id ?? ''),
  },
  {
    id: 'panel.text',
    title: 'Panel as text',
    section: 'Panels',
    keys: ['T'],
    keywords: ['table', 'twin', 'screen reader'],
    when: () => currentPanel()?.dataset.hasTextAlternative !== undefined,
    run: () => toggleAsText(currentPanel()?.id ?? ''),
  },
  {
    id: 'panel.svg',
    title: 'This panel as SVG',
    section: 'Panels',
    menu: 'export',
    keywords: ['picture', 'save', 'panel'],
    when: () => currentPanel() !== null,
    run: () => savePanel('svg'),
  },
  {
    id: 'panel.png',
    title: 'This panel as PNG',
    section: 'Panels',
    menu: 'export',
    keywords: ['picture', 'save', 'panel'],
    when: () => currentPanel() !== null,
    run: () => savePanel('png'),
  },
  {
    id: 'back',
    title: 'Back to all panels',
    section: 'Panels',
    keys: ['Escape'],
    keyOnly: true,
    when: () => shell.getState().maximised !== null || shell.getState().blank,
    run: () => shell.setState({ maximised: null, blank: false }),
  },
];

async function savePanel(as: 'svg' | 'png'): Promise<void> {
  const panel = currentPanel();
  if (!panel) return;
  const picture = await fetched(() => import('../widgets/panel-picture'));
  const name = panel.querySelector('h2')?.textContent ?? panel.id;
  await picture.savePanel(panel, as, `${session.getState()?.title ?? 'Busyard'} ${name}`);
}

const canMaximise = () => currentPanel()?.dataset.canMaximise !== undefined;

const shownPanels = () => panelsOf(route.getState().view, shell.getState().lecture);

/** The panel that a digit focused last: the same digit again goes to the next panel that has it. */
let lastPanel: string | null = null;

/** One command for the digits of all views; each goes to the panel of the present view. */
const goToPanel: Command = {
  id: 'panel.go',
  title: 'Go to panel',
  section: 'Panels',
  keys: [...new Set(allPanels.flatMap((panel) => (panel.key ? [`Alt+${panel.key}`] : [])))].sort(),
  keyOnly: true,
  when: () => shownPanels().some((panel) => panel.key),
  run(pressed) {
    const panels = shownPanels().filter(({ key }) => `Alt+${key}` === pressed);
    const at = panels.findIndex(({ id }) => id === lastPanel);
    const panel = panels[(at + 1) % panels.length];
    if (!panel) return;
    lastPanel = panel.id;
    focusPanel(panel.id);
  },
};

/** A projector shows one centre panel: this shows the next. */
const nextPanel: Command = {
  id: 'panel.next',
  title: 'Next panel of the projector',
  brief: 'panel',
  section: 'Panels',
  keys: ['V'],
  when: () => shell.getState().lecture && inSlot(shownPanels(), 'centre').length > 1,
  run() {
    const panels = inSlot(shownPanels(), 'centre');
    const at = Math.max(
      0,
      panels.findIndex(({ id }) => document.getElementById(id)),
    );
    const panel = panels[(at + 1) % panels.length];
    if (panel) focusPanel(panel.id);
  },
};

const places: readonly Command[] = [
  {
    id: 'go.gallery',
    title: 'Gallery',
    section: 'Go to',
    when: () => route.getState().view !== 'gallery',
    run: () => navigate({ view: 'gallery' }),
  },
  {
    id: 'go.report',
    title: 'Reproduction report',
    section: 'Go to',
    keywords: ['check', 'published', 'papers'],
    when: () => allPanels.some((panel) => [panel.view].flat().includes('report')),
    run: () => navigate({ view: 'report' }),
  },
  {
    id: 'go.prove',
    title: 'Prove it, break it',
    section: 'Go to',
    keywords: ['explore', 'model checking', 'invariant', 'fault', 'counterexample', 'states'],
    run: () => navigate({ view: 'prove' }),
  },
  {
    id: 'go.glossary',
    title: 'Glossary',
    section: 'Go to',
    hint: 'what the words mean',
    keywords: ['terms', 'words', 'meaning', 'dictionary'],
    run: () => navigate({ view: 'glossary' }),
  },
];

const buildText: Command = {
  id: 'build.text',
  title: 'Scenario text of this machine',
  section: 'Go to',
  keywords: ['json', 'source', 'edit'],
  when: () => route.getState().view === 'build',
  run: () => focusPanel('build-text', '[data-editor]'),
};

const showWhy: Command = {
  id: 'why.show',
  title: 'Go to the causes of the event',
  section: 'Panels',
  keywords: ['why', 'reason', 'diagnosis', 'root cause'],
  when: () => route.getState().view === 'machine',
  run: () => focusPanel('why'),
};

/** A second press hides them. */
const showPrograms: Command = {
  id: 'program.show',
  title: 'Programs beside the run',
  section: 'Panels',
  keywords: ['rows', 'row', 'cost', 'breakpoint', 'edit', 'loop', 'processor'],
  when: () => route.getState().view === 'machine',
  run() {
    const programs = !shell.getState().programs;
    shell.setState({ programs });
    if (programs) requestAnimationFrame(() => focusPanel('program'));
  },
};

/** The query of this search is also a condition to stop at. */
const findEvents: Command = {
  id: 'events.find',
  title: 'Find events',
  section: 'Time',
  keys: ['/'],
  keywords: ['search', 'query', 'condition', 'stop when', 'touched'],
  when: () => shownPanels().some(({ id }) => id === 'events'),
  run: () => focusPanel('events', 'input[type=search]'),
};

export function addShellCommands(): void {
  for (const command of [
    ...files,
    ...places,
    ...page,
    buildText,
    findEvents,
    showPrograms,
    showWhy,
    goToPanel,
    nextPanel,
    ...panelCommands,
  ]) {
    commands.add(command);
  }
}
