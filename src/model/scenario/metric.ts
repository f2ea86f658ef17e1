import type { Metric, Term } from './scenario-types';

/** What a metric is made of, whatever is multiplied or added. */
export const termsOf = ({ product, over }: Metric): readonly Term[] =>
  [...product, ...over].flatMap((factor) =>
    factor.kind === 'sum' ? factor.terms.flat() : [factor],
  );
