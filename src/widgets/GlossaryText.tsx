import { type ReactNode, useEffect, useMemo } from 'react';
import { useStore } from '../controllers/useStore';
import { glossary, loadGlossary, type MarkedBlock, markTerms } from '../model/lesson/glossary';
import type { Term } from '../model/trace/terms';
import { TermTooltip } from './TermTooltip';

/** The words of the glossary, fetched when something first wants them. */
export function useTerms(): readonly Term[] {
  useEffect(loadGlossary, []);
  return useStore(glossary, ({ terms }) => terms);
}

/** Texts that stand together, with the first mention of each term explaining itself. */
export function useGlossaryText(texts: readonly string[]): readonly ReactNode[] {
  const terms = useTerms();
  const whole = texts.join('\n');
  return useMemo(() => {
    const blocks = whole.split('\n').map((text) => {
      const inlines = [{ kind: 'text', text } as const];
      return { kind: 'paragraph', inlines } as const;
    });
    // biome-ignore lint/suspicious/noArrayIndexKey: each text has its place
    return markTerms(blocks, terms).map((block, index) => <Words key={index} block={block} />);
  }, [whole, terms]);
}

/** A text of its own. */
export function GlossaryText({ text }: { readonly text: string }): ReactNode {
  return useGlossaryText([text])[0];
}

function Words({ block }: { readonly block: MarkedBlock }) {
  if (block.kind !== 'paragraph') return null;
  return block.inlines.map((inline, index) =>
    inline.kind === 'term' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words do not change their order
      <TermTooltip key={index} term={inline.term} tail={inline.tail}>
        {inline.text}
      </TermTooltip>
    ) : (
      inline.text
    ),
  );
}
