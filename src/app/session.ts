import type { OpenResult } from '../base/files';
import { createStore } from '../base/store';

/** The open session as the frame of the page sees it. */
export interface OpenSession {
  readonly title: string;
  readonly system: string;
  readonly kind: 'lab' | 'machine';
  readonly scenario?: string;
  readonly changes: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Grows with each change worth saving. */
  readonly revision: number;
}

export const session = createStore<OpenSession | null>(null);

const nothing: OpenResult = { ok: false, title: 'Nothing can be opened yet', problems: [] };

export const openScenario = async (_id: string): Promise<OpenResult> => nothing;
export const openText = async (_text: string, _name: string): Promise<OpenResult> => nothing;
export const openShare = async (_code: string): Promise<OpenResult> => nothing;
export const sessionText = (): string => '';
export const scenarioText = (): string => '';
export const shareCode = async (): Promise<string> => '';
export const undo = (): void => {};
export const redo = (): void => {};

export interface ScenarioEntry {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly system: string;
  readonly kind: 'lab' | 'machine';
  readonly minutes?: number;
  readonly belief?: string;
}

export const listScenarios = (): readonly ScenarioEntry[] => [];
export const systemTitle = (system: string): string => system;
