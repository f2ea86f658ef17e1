/**
 * Theme and motion: what the user chose, else what the system asks for; remembered between visits. Before
 * the first paint, public/theme.js has set the same.
 */
import { type ShellState, shell, type ThemeChoice } from '../base/shell-state';
import { remember, remembered } from './preferences';

const dark = () => window.matchMedia('(prefers-color-scheme: dark)');
const still = () => window.matchMedia('(prefers-reduced-motion: reduce)');
/** Paper is white, so it gets the light tokens whatever the screen shows. */
const paper = () => window.matchMedia('print');

const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

function apply(state: ShellState): void {
  const root = document.documentElement;
  root.dataset.theme = state.theme;
  if (state.lecture) root.dataset.mode = 'lecture';
  else delete root.dataset.mode;
}

function inForce(choice: ThemeChoice): 'light' | 'dark' {
  if (paper().matches) return 'light';
  return choice === 'system' ? (dark().matches ? 'dark' : 'light') : choice;
}

export function chooseTheme(themeChoice: ThemeChoice): void {
  remember('theme', themeChoice);
  shell.setState({ themeChoice, theme: inForce(themeChoice) });
}

/** The button of the top bar: the other one of light and dark. */
export const toggleTheme = (): void =>
  chooseTheme(shell.getState().theme === 'dark' ? 'light' : 'dark');

/** Starts following the system; an address may fix the theme for an embedded page. */
export function startTheme(fixed: string | null): void {
  const wanted = fixed ?? remembered('theme');
  const themeChoice = CHOICES.find((choice) => choice === wanted) ?? 'system';
  const update = () =>
    shell.setState((state) => ({
      theme: inForce(state.themeChoice),
      reducedMotion: still().matches,
    }));
  shell.setState({ themeChoice, singleKeys: remembered('single-keys') !== 'off' });
  shell.subscribe(apply);
  update();
  apply(shell.getState());
  dark().addEventListener('change', update);
  still().addEventListener('change', update);
  paper().addEventListener('change', update);
}

export function setSingleKeys(on: boolean): void {
  remember('single-keys', on ? 'on' : 'off');
  shell.setState({ singleKeys: on });
}
