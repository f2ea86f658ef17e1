import { type ReactNode, useEffect, useMemo } from 'react';
import { useStore } from '../controllers/useStore';
import { glossary, loadGlossary, type MarkedBlock, markTerms } from '../model/lesson/glossary';
import type { Term } from '../model/trace/terms';
import { TermTooltip } from './TermTooltip';

/** The terms of the glossary, loaded on first use. */
export function useTerms(): readonly Term[] {
  useEffect(loadGlossary, []);
  return useStore(glossary, ({ terms }) => terms);
}

/** Texts shown together; the first mention of each term has a tooltip. */
export function useGlossaryText(texts: readonly string[]): readonly ReactNode[] {
  const terms = useTerms();
  const whole = texts.join('\n');
  return useMemo(() => {
    const blocks = whole.split('\n').map((text) => {
      const inlines = [{ kind: 'text', text } as const];
      return { kind: 'paragraph', inlines } as const;
    });
    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the texts is fixed
    return markTerms(blocks, terms).map((block, index) => <Words key={index} block={block} />);
  }, [whole, terms]);
}

/** One text with tooltips on its glossary terms. */
export function GlossaryText({ text }: { readonly text: string }): ReactNode {
  return useGlossaryText([text])[0];
}

function Words({ block }: { readonly block: MarkedBlock }) {
  if (block.kind !== 'paragraph') return null;
  return block.inlines.map((inline, index) =>
    inline.kind === 'term' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order of the words is fixed
      <TermTooltip key={index} term={inline.term} tail={inline.tail}>
        {inline.text}
      </TermTooltip>
    ) : (
      inline.text
    ),
  );
}
