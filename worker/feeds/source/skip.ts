export type Skip = { record_id: string; reason: string; body: string }
