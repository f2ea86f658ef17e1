import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { nextTask } from '../base/tasks';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/page.css';
import './styles/drawing.css';
import { App } from './App';
import { startUpdateCheck } from './opening/retry-missing';
import { preload } from './preload';
import { start } from './start';

/** Separate tasks keep each short: start the loading, start the services, compute styles, render. */
async function begin(): Promise<void> {
  const root = document.getElementById('root');
  // public/support.js has already shown its notice.
  if (!root) return;
  startUpdateCheck();
  preload(location.hash);
  await nextTask();
  void start();
  await nextTask();
  // The first read of the window's size waits for the style sheet.
  document.documentElement.getBoundingClientRect();
  await nextTask();
  // As a transition, the first render is sliced, and input is handled in between.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}

void begin();
