/** Written together, each record costs fewer pages, syncs and queries. */
export const chunkRecords = 2_000
export const listChunkRecords = 1_000
/** Letters of their texts: what they become in between has to fit into memory. */
const chunkLetters = 10_000_000

export const isFullChunk = (records: number, letters: number) => records >= chunkRecords || letters >= chunkLetters
