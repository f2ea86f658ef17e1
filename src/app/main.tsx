import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/page.css';
import './styles/drawing.css';
import { App } from './App';
import { start } from './start';

void start();
const root = document.getElementById('root');
// As a transition the first drawing is made in slices, between which the page may answer.
if (root)
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
