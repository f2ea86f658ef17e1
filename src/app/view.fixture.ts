/** Views over a run in this process: how tests open them, and what they wait for. */
import { render } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { vi } from 'vitest';
import { navigate } from '../base/route';
import { decisionTime } from '../model/lesson/answer-mask';
import { openLesson } from '../model/lesson/open-lesson';
import { answers, saveAnswer, scenarioKey } from '../model/session/answers';
import { player } from '../model/session/open-run';
import { session, setView } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import { PanelContext } from '../widgets/panels';

export const WAIT = { timeout: 25_000, interval: 5 };

/** Opens a scenario beside its machine; the questions of its first `answered` steps have been looked up. */
export async function openMachine(id: string, answered = 0): Promise<void> {
  answers.setState({}, true);
  navigate({ view: 'machine', scenario: id });
  await openScenario(id);
  for (const { question } of openLesson.getState()?.steps.slice(0, answered) ?? [])
    if (question)
      saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null });
}

/** Opens a scenario beside its machine at a step of its lesson, counted from 0, with no question answered. */
export async function openStep(id: string, step: number): Promise<void> {
  await openMachine(id);
  setView({ step });
}

/** Shows a panel by itself. */
export function renderPanel(panel: ReactNode, asText = false): void {
  const place = { id: 'panel', maximised: false, asText, canMaximise: false };
  render(createElement(PanelContext, { value: place }, panel));
}

/** Waits until the run is recorded to its end. */
export const ended = () =>
  vi.waitUntil(() => {
    const { status, complete } = player.state.getState();
    return status === 'ready' && complete;
  }, WAIT);

/** Waits until the moment of decision is known, in picoseconds. */
export async function decided(): Promise<number> {
  await ended();
  await vi.waitUntil(() => decisionTime.getState().ps !== null, WAIT);
  return decisionTime.getState().ps as number;
}
