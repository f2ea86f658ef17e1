import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { nextTask } from '../base/tasks';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/page.css';
import './styles/drawing.css';
import { App } from './App';
import { startUpdateCheck } from './opening/again';
import { preload } from './opening/preload';
import { start } from './start';

/**
 * In tasks of their own: what comes over the network is asked for, what is not drawn is started, styles are worked in,
 * the page is drawn.
 */
async function begin(): Promise<void> {
  const root = document.getElementById('root');
  // public/support.js has put its notice there.
  if (!root) return;
  startUpdateCheck();
  preload(location.hash);
  await nextTask();
  void start();
  await nextTask();
  // The first read of the window's size waits for the style sheet.
  document.documentElement.getBoundingClientRect();
  await nextTask();
  // As a transition the first drawing is made in slices, between which the page may answer.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}

void begin();
