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

export const figuresMatching = (_pattern: string): readonly { id: string; value: number }[] => [];
