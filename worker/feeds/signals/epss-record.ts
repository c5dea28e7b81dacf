import { cveIdPattern } from '../../domain/names/cve'

export type EpssRow = [cveid: string, epss: number, percentile: number]

export function readScore(text: string): EpssRow | null {
  const [cveid = '', score = '', rank = ''] = text.split(',')
  const [probability, percentile] = [Number(score), Number(rank)]
  const isScore = (value: number, from: string) => from !== '' && value >= 0 && value <= 1
  return cveIdPattern.test(cveid) && isScore(probability, score) && isScore(percentile, rank)
    ? [cveid, probability, percentile]
    : null
}
