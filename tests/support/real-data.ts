import { existsSync } from 'node:fs'

/** Records of all feeds, samples and official schemas. They stand beside the checkout where the product is built; a user has none. */
export const realData = new URL('../../../shared/', import.meta.url)
export const hasRealData = existsSync(realData)
export const realFeeds = new URL('feeds/', realData)
