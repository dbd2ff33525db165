import type { InspectionResult } from './inspection.ts';

/** Any outcome but a readable image. */
export type Refusal = Exclude<InspectionResult, { kind: 'image' }>;

export function broken(detail: string): Refusal {
  return { kind: 'broken', detail };
}

export function unsupportedFeature(detail: string): Refusal {
  return { kind: 'unsupported-feature', detail };
}

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value;
}
