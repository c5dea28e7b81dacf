export const affectedStatuses = ['affected', 'not_affected', 'unknown'] as const
export type AffectedStatus = (typeof affectedStatuses)[number]

/** confirmed: by the order of a standard or the same name; likely: by the loose order; name_only: no version is named. */
export const confidences = ['confirmed', 'likely', 'name_only'] as const
export type Confidence = (typeof confidences)[number]
