import { hasReaders } from '../../db/give-way'

/** Records that are read and written together: of many at once each costs fewer pages, syncs and queries. */
export const chunkRecords = 2_000
/** While somebody reads they are written in small pieces, of which an invocation can ask no more than some. */
const chunkWhileReading = 250
/** Letters of their texts: what they become in between has to fit into memory. */
const chunkLetters = 10_000_000

export const chunkSize = () => (hasReaders() ? chunkWhileReading : chunkRecords)
export const isFullChunk = (records: number, letters: number) => records >= chunkSize() || letters >= chunkLetters
