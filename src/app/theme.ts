/**
 * Theme and motion: the user's choice, else the system's; remembered between visits. public/theme.js has
 * applied it before the first paint.
 */
import { route, type View } from '../base/route';
import { type ShellState, shell, type ThemeChoice } from '../base/shell-state';
import { remember, remembered } from './preferences';

const dark = () => window.matchMedia('(prefers-color-scheme: dark)');
const still = () => window.matchMedia('(prefers-reduced-motion: reduce)');
/** Paper is white, so printing uses the light tokens. */
const paper = () => window.matchMedia('print');

const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

/** Views whose drawing fits the window with larger type. Of the others a projector shows what a desk does. */
const PROJECTED: readonly View[] = ['machine', 'lab', 'build', 'compare'];

function apply({ theme, lecture }: ShellState): void {
  const root = document.documentElement;
  root.dataset.theme = theme;
  if (lecture && PROJECTED.includes(route.getState().view)) root.dataset.mode = 'lecture';
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

/** The theme button of the top bar: switches between light and dark. */
export const toggleTheme = (): void =>
  chooseTheme(shell.getState().theme === 'dark' ? 'light' : 'dark');

/** Follows the system's setting; an address may fix the theme of an embedded page. */
export function startTheme(fixed: string | null): void {
  const theme = fixed ?? remembered('theme');
  const themeChoice = CHOICES.find((choice) => choice === theme) ?? 'system';
  const update = () =>
    shell.setState((state) => ({
      theme: inForce(state.themeChoice),
      reducedMotion: still().matches,
    }));
  shell.setState({ themeChoice, singleKeys: remembered('single-keys') !== 'off' });
  shell.subscribe(apply);
  route.subscribe(() => apply(shell.getState()));
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
