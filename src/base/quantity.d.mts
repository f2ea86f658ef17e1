export type QuantityType = 'time' | 'clock' | 'bytes' | 'rate' | 'count' | 'address' | 'flag';
export declare const UNITS: Record<QuantityType, Record<string, readonly [number, number]>>;
export declare function parseQuantity(input: string | number | boolean, type: QuantityType): bigint;
export declare function formatQuantity(value: bigint, type: QuantityType): string;
