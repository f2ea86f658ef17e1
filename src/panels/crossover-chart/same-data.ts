/** Whether two values of plain data say the same. Comparing a part of the chart costs less than rendering it. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  const [some, others] = [Object.entries(one), Object.keys(other)];
  return (
    some.length === others.length &&
    some.every(([key, value]) => isSameData(value, (other as Record<string, unknown>)[key]))
  );
}
