export type Place = { params: Record<string, string | undefined>; search: string }
