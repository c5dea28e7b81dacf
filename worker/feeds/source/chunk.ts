/** Records per write: in larger chunks each record costs fewer pages, syncs and queries. */
export const chunkRecords = 2_000
export const listChunkRecords = 1_000
/** Letters of the texts of a chunk: our records of them must fit into memory. */
const chunkLetters = 10_000_000

export const isFullChunk = (records: number, letters: number) => records >= chunkRecords || letters >= chunkLetters
